import { join } from "node:path";
import { type LedgerEntry, readLedgerBySend } from "../../../chaos/check/ledger.ts";
import { readSends } from "../../../chaos/check/stored-sends.ts";
import type { Acknowledged } from "../../../chaos/load/load-plan.ts";
import type { FeedbackCell } from "../../../service/proofs/cell/feedback-cell.ts";
import { listUnknownSends } from "../../../service/src/feedback/quarantine-store.ts";
import { timeOfSendId } from "../../../service/src/sends/send-id.ts";
import { countEndings, type InDoubtEndings } from "../in-doubt-endings.ts";

/** A restore: what was committed between these times is lost. */
export interface LostPeriod {
  /** The data reaches at least up to here. Undefined: up to the newest send that it has. */
  keptUpToMs?: number;
  endedMs: number;
  /** SES reports mail so long after it accepted it. What it reports after the end waits in the queue for the restored server. */
  reportDelayMs: number;
}

export interface Restored {
  acknowledged: number;
  missing: number;
  /** From the newest acknowledged send that the database has to the end of the old server. */
  lostSeconds: number;
  /** Acknowledged before the data should end, and missing all the same. */
  missingBefore: number;
  /** Known, and never submitted, without a policy that says so. */
  unsent: number;
  doubled: number;
  /** Doubled although SES reported the first mail after the restore. */
  doubledWithEvidence: number;
  /** Known sends that SES got before the end and reported after it. */
  reportedLater: number;
  unexplained: number;
  /** Submitted, reported after the restore, and missing from the database; and how many of those `failover show` lists. */
  missingReported: number;
  missingListed: number;
  inDoubt: InDoubtEndings;
}

/** Compares what clients, SES and the restored database know of the sends accepted since a time when the queue was empty. */
export async function compareRestored(
  { db, simulator }: FeedbackCell,
  acknowledged: Acknowledged[],
  sinceMs: number,
  lost: LostPeriod,
): Promise<Restored> {
  const isOfThis = (id: string) => timeOfSendId(id) >= sinceMs;
  const sends = (await readSends(db)).filter(({ id }) => isOfThis(id));
  const known = new Map(sends.map((send) => [send.id, send]));
  const wholeLedger = await readLedgerBySend(join(simulator.dataFolder, "ledger.ndjson"));
  const ledger = new Map([...wholeLedger].filter(([id]) => isOfThis(id)));
  const isBefore = (mails: LedgerEntry[]) => mails.some(({ acceptedAt }) => Date.parse(acceptedAt) <= lost.endedMs);
  const isReportedLater = (mails: LedgerEntry[]) =>
    Math.min(...mails.map(({ acceptedAt }) => Date.parse(acceptedAt))) + lost.reportDelayMs > lost.endedMs;
  const missing = acknowledged.filter(({ id }) => !known.has(id));
  const newestKept = Math.max(
    ...acknowledged.filter(({ id, at }) => known.has(id) && at <= lost.endedMs).map(({ at }) => at),
  );
  const doubled = [...ledger].filter(([id, mails]) => mails.length > 1 && known.has(id));
  const missingReported = [...ledger].filter(([id, mails]) => !known.has(id) && isReportedLater(mails));
  const listed = new Set((await listUnknownSends(db, 100_000)).map(({ sendId }) => sendId));
  return {
    acknowledged: acknowledged.length,
    missing: missing.length,
    lostSeconds: (lost.endedMs - newestKept) / 1000,
    missingBefore: missing.filter(({ at }) => at < (lost.keptUpToMs ?? newestKept)).length,
    unsent: sends.filter(({ id, errorCode }) => !ledger.has(id) && errorCode !== "PROVIDER_OUTCOME_UNKNOWN").length,
    doubled: doubled.length,
    reportedLater: [...ledger].filter(([id, mails]) => known.has(id) && isReportedLater(mails) && isBefore(mails))
      .length,
    doubledWithEvidence: doubled.filter(([, mails]) => isReportedLater(mails)).length,
    unexplained: doubled.filter(([id]) => (known.get(id)?.attempts.length ?? 0) === 0).length,
    missingReported: missingReported.length,
    missingListed: missingReported.filter(([id]) => listed.has(id)).length,
    inDoubt: countEndings(sends, ledger),
  };
}
