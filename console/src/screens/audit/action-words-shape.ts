export interface EntryFacts {
  /** The name of the target, or its id. */
  target: string;
  /** The target is the account, not one thing in it. */
  isAccount: boolean;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

export interface ActionWords {
  /** For the filter: "API key revoked". */
  title: string;
  /** Follows the actor: "revoked the API key web shop". */
  did: (facts: EntryFacts) => string;
  /** What follows from it, for a person who sees the entry for the first time. */
  meaning: string;
}

/** A fact as text; empty when the entry has none. */
export function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function count(value: unknown, one: string, many = `${one}s`): string {
  const number = typeof value === "number" ? value : 0;
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
