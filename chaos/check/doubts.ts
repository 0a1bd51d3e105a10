import type { LedgerEntry } from "./ledger.ts";
import type { RecordedSend } from "./sends-of-record.ts";

export interface Doubt {
  id: string;
  resolution:
    | "confirmed by the provider's events"
    | "handed over again, had not left"
    | "handed over again, had left: doubled"
    | "failed by policy, had not left"
    | "failed by policy, had left"
    | "unresolved";
  attempts: string[];
  mails: number;
}

/**
 * Every send of which an attempt ended without an answer, with what became of it. One whose event overtook the answer of a
 * healthy worker is among them: the record cannot tell the two apart, and need not.
 */
export function listDoubts(sends: RecordedSend[], ledger: Map<string, LedgerEntry[]>): Doubt[] {
  return sends.filter(wasInDoubt).map((send) => {
    const mails = ledger.get(send.id)?.length ?? 0;
    return { id: send.id, resolution: resolutionOf(send, mails), attempts: send.attempts, mails };
  });
}

/** Not those that the provider did not take at first: of them every attempt is known. */
function wasInDoubt({ attempts }: RecordedSend): boolean {
  const count = (outcome: string) => attempts.filter((attempt) => attempt.endsWith(outcome)).length;
  return count("unknown") > 0 || count("accepted") > 1 || attempts[0]?.endsWith("accepted") === true;
}

function resolutionOf(send: RecordedSend, mails: number): Doubt["resolution"] {
  if (send.queueState !== null || send.status === "queued") return "unresolved";
  if (send.errorCode === "PROVIDER_OUTCOME_UNKNOWN") {
    return mails > 0 ? "failed by policy, had left" : "failed by policy, had not left";
  }
  if (mails > 1) return "handed over again, had left: doubled";
  return send.attempts.length > 1 ? "handed over again, had not left" : "confirmed by the provider's events";
}
