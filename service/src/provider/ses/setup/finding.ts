import type { AwsActionError } from "./aws-action.ts";

export interface Finding {
  /** A note is information about something that is not a problem. */
  state: "ok" | "note" | "problem";
  what: string;
  /** The fix as text, or the failed call, from which the CLI derives the fix. */
  advice?: string | AwsActionError;
}

export const setUpAdvice = "run `postern aws setup`";

export function ok(what: string): Finding {
  return { state: "ok", what };
}

export function note(what: string, advice: string): Finding {
  return { state: "note", what, advice };
}

export function problem(what: string, advice: string): Finding {
  return { state: "problem", what, advice };
}
