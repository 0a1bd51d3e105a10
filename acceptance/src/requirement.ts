/**
 * One requirement of the published interface, in this project's own words. `isDecision` marks a rule that the interface
 * leaves open and that this project decided.
 */
export interface Requirement {
  text: string;
  isDecision?: true;
}

/** The key is the section, a hyphen and a number that a requirement keeps when others are added. */
export type RequirementTable = Record<string, string | Requirement>;

export function decision(text: string): Requirement {
  return { text, isDecision: true };
}

export function sectionOf(number: string): string {
  return number.slice(0, number.lastIndexOf("-"));
}
