import type { LedgerEntry } from "../../../chaos/check/ledger.ts";

/** The longest time in which the provider accepted no mail, between two times in milliseconds since 1970. */
export function longestPauseMs(ledger: Map<string, LedgerEntry[]>, fromMs: number, toMs: number): number {
  const acceptedAt = [...ledger.values()].flat().map((mail) => Date.parse(mail.acceptedAt));
  const times = [fromMs, ...acceptedAt.filter((at) => at > fromMs && at < toMs), toMs].toSorted((a, b) => a - b);
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
}
