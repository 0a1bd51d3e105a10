import type { LedgerEntry } from "./ledger.ts";
import type { StoredSend } from "./stored-sends.ts";

export interface InDoubtSend {
  id: string;
  resolution:
    | "confirmed by the provider's events"
    | "submitted again, the first attempt had not been accepted"
    | "submitted again, the first attempt had been accepted: doubled"
    | "failed by policy, had not been accepted"
    | "failed by policy, had been accepted"
    | "unresolved";
  attempts: string[];
  mails: number;
}

/**
 * Lists every send with an attempt that ended without an answer, and how it was resolved. It includes sends whose event was
 * applied before a healthy worker stored SES's answer: the database does not distinguish the two.
 */
export function listInDoubtSends(sends: StoredSend[], ledger: Map<string, LedgerEntry[]>): InDoubtSend[] {
  return sends.filter(wasInDoubt).map((send) => {
    const mails = ledger.get(send.id)?.length ?? 0;
    return { id: send.id, resolution: resolutionOf(send, mails), attempts: send.attempts, mails };
  });
}

/** Excludes sends that the provider rejected at first: the outcome of each of their attempts is known. */
function wasInDoubt({ attempts }: StoredSend): boolean {
  const count = (outcome: string) => attempts.filter((attempt) => attempt.endsWith(outcome)).length;
  return count("unknown") > 0 || count("accepted") > 1 || attempts[0]?.endsWith("accepted") === true;
}

function resolutionOf(send: StoredSend, mails: number): InDoubtSend["resolution"] {
  if (send.queueState !== null || send.status === "queued") return "unresolved";
  if (send.errorCode === "PROVIDER_OUTCOME_UNKNOWN") {
    return mails > 0 ? "failed by policy, had been accepted" : "failed by policy, had not been accepted";
  }
  if (mails > 1) return "submitted again, the first attempt had been accepted: doubled";
  return send.attempts.length > 1
    ? "submitted again, the first attempt had not been accepted"
    : "confirmed by the provider's events";
}
