import type { LedgerEntry } from "../../chaos/check/ledger.ts";
import type { StoredSend } from "../../chaos/check/stored-sends.ts";

type Ending =
  | "confirmed by events of SES"
  | "submitted after the wait, SES had not got them"
  | "doubled"
  | "failed by policy, SES had not got them"
  | "failed by policy, SES had got them"
  | "unresolved";

export type InDoubtEndings = Partial<Record<Ending, number>>;

/**
 * How the sends ended whose outcome was unknown at some time. A failover raises the attempt number by a thousand, so a mail with a number up
 * to that of the last unknown attempt is one that SES got before.
 */
export function countEndings(sends: StoredSend[], ledger: Map<string, LedgerEntry[]>): InDoubtEndings {
  const endings: InDoubtEndings = {};
  for (const send of sends) {
    const unknown = send.attempts
      .filter((attempt) => attempt.endsWith(" unknown"))
      .map((attempt) => Number.parseInt(attempt, 10));
    if (unknown.length === 0) continue;
    const ending = endingOf(send, Math.max(...unknown), ledger.get(send.id) ?? []);
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  return endings;
}

function endingOf({ queueState, errorCode }: StoredSend, lastUnknown: number, mails: LedgerEntry[]): Ending {
  if (queueState !== null) return "unresolved";
  if (mails.length > 1) return "doubled";
  if (errorCode === "PROVIDER_OUTCOME_UNKNOWN") {
    return mails.length === 0 ? "failed by policy, SES had not got them" : "failed by policy, SES had got them";
  }
  return mails.some(({ attempt }) => attempt <= lastUnknown)
    ? "confirmed by events of SES"
    : "submitted after the wait, SES had not got them";
}

export function describeEndings(endings: InDoubtEndings): string {
  const entries = Object.entries(endings).map(([ending, count]) => `${count} ${ending}`);
  return entries.length === 0 ? "none" : entries.join(", ");
}
