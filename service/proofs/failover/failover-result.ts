import type { Database } from "../../src/db/database.ts";
import { listUnknownSends } from "../../src/feedback/quarantine-store.ts";
import { readLastFailover } from "../../src/in-doubt/last-failover.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "../../src/sends/attempt-details.ts";
import type { FeedbackCell } from "../cell/feedback-cell.ts";
import { type LedgerMail, readWholeLedger } from "../cell/ledger-tail.ts";

/** SES reports mail of this domain immediately, so the lost server applies most of its events. */
export const reportedBeforeDomain = "reported-before.test";
/** SES reports mail of this domain after the switch to the other server. */
export const reportedLaterDomain = "reported-later.test";

/** The lost period is the time whose commits the new server does not have. */
export interface FailoverResult {
  cause: string;
  known: number;
  lost: number;
  /** Submitted in the lost period, in doubt afterwards, and reported after the switch. */
  reportedLater: number;
  reportedLaterDoubled: number;
  /** Submitted in the lost period, in doubt afterwards, and reported immediately, mostly to the lost server. */
  reportedBefore: number;
  reportedBeforeDoubled: number;
  /** Doubled, without an attempt record that explains why. */
  unexplained: number;
  /** Accepted and submitted in the lost period, so that the database has no record of the send. */
  missing: number;
  /** The missing sends that SES reported after the switch, and how many of them the quarantine lists. */
  missingReported: number;
  missingListed: number;
  newSendSeconds: number;
}

/** Compares the ledger with the database after all sends are settled. `lostPeriod` holds the mails submitted after the copy. */
export async function readResult(cell: FeedbackCell, accepted: string[], lostPeriod: LedgerMail[]) {
  const { db, simulator } = cell;
  const copies = new Map<string, number>();
  for (const { sendId } of readWholeLedger(simulator)) copies.set(sendId, (copies.get(sendId) ?? 0) + 1);
  const known = new Set(await idsIn(db, `select id from sends`));
  const listedIn = new Set((await listUnknownSends(db, 100_000)).map(({ sendId }) => sendId));
  const explained = new Set(
    await idsIn(db, `select send_id as id from send_attempts where detail = any($1::text[])`, [
      failoverWhileQueued,
      failoverWhileSubmitting,
    ]),
  );
  const recorded = new Set(await idsIn(db, `select distinct send_id as id from send_attempts`));
  const isDoubled = (id: string) => (copies.get(id) ?? 0) > 1;
  const submittedFrom = (domain: string, isKnown: boolean) =>
    [...new Set(lostPeriod.filter((mail) => mail.fromDomain === domain).map(({ sendId }) => sendId))].filter(
      (id) => known.has(id) === isKnown,
    );
  // A send whose settlement is in the copy has status sent and was never in doubt.
  const reportedLater = submittedFrom(reportedLaterDomain, true).filter((id) => explained.has(id) || isDoubled(id));
  const reportedBefore = submittedFrom(reportedBeforeDomain, true).filter((id) => explained.has(id) || isDoubled(id));
  const missingReported = submittedFrom(reportedLaterDomain, false);
  return {
    cause: (await readLastFailover(db, 1))?.cause ?? "nothing",
    known: accepted.filter((id) => known.has(id)).length,
    lost: [...known].filter((id) => !copies.has(id)).length,
    reportedLater: reportedLater.length,
    reportedLaterDoubled: reportedLater.filter(isDoubled).length,
    reportedBefore: reportedBefore.length,
    reportedBeforeDoubled: reportedBefore.filter(isDoubled).length,
    unexplained: [...known].filter((id) => isDoubled(id) && !recorded.has(id)).length,
    missing: missingReported.length + submittedFrom(reportedBeforeDomain, false).length,
    missingReported: missingReported.length,
    missingListed: missingReported.filter((id) => listedIn.has(id)).length,
  };
}

async function idsIn(db: Database, text: string, details?: string[]): Promise<string[]> {
  const values = details === undefined ? [] : [details];
  return (await db.query<{ id: string }>({ name: `ids ${text.length}`, text, values })).map(({ id }) => id);
}
