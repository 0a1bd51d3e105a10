/** A sentence of the interface in our own words. `isOurs` marks an answer of this project to what the interface leaves open. */
export interface Sentence {
  says: string;
  isOurs?: true;
}

/** By number: the section, a hyphen, and a place in it that stays when others are added. */
export type SentenceTable = Record<string, string | Sentence>;

export function ours(says: string): Sentence {
  return { says, isOurs: true };
}

export function sectionOf(number: string): string {
  return number.slice(0, number.lastIndexOf("-"));
}
