import type { AwsActionError } from "./aws-action.ts";

export interface Finding {
  /** A name for programs that does not change with the text, such as `queue.policy`. */
  check: string;
  /** A note is information about something that is not a problem. */
  state: "ok" | "note" | "problem";
  what: string;
  /** The fix as text, or the failed call, from which the CLI derives the fix. */
  advice?: string | AwsActionError;
}

export const setUpAdvice = "run `postern aws setup`";

export function ok(check: string, what: string): Finding {
  return { check, state: "ok", what };
}

export function note(check: string, what: string, advice: string): Finding {
  return { check, state: "note", what, advice };
}

export function problem(check: string, what: string, advice: string): Finding {
  return { check, state: "problem", what, advice };
}
