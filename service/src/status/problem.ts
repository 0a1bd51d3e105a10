/** A condition that does not resolve itself, or that an operator wants to know about immediately. */
export interface Problem {
  what: string;
  advice: string;
}

/** The reason that an operator gave for a hold. */
export function noteText(note: string | null): string {
  return note === null ? "" : ` ("${note}")`;
}
