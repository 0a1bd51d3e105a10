import type { Database, Queryable } from "../db/database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { applyFeedback, type FeedbackVerdict } from "../feedback/apply-feedback.ts";
import type { Feedback } from "../provider/feedback.ts";

/** `unknown-send` and `from-the-future` stay in the source, for the next run; `moved` are stored again, for the cell where the account is now. */
export type RelayedFeedback = Record<FeedbackVerdict, number>;

const pageSize = 200;

/**
 * Applies the reports that the source set aside for the account (feedback/set-aside.ts), in their order: in the target after the release, in
 * the source itself after an undo. Deletes those that it applied. A crash before the deletion repeats them in the next run, which changes nothing.
 * Reports that come meanwhile wait for the next run.
 */
export async function relayFeedback(source: Queryable, into: Database, accountId: string): Promise<RelayedFeedback> {
  const counts: RelayedFeedback = { applied: 0, moved: 0, discarded: 0, "unknown-send": 0, "from-the-future": 0 };
  const clock = await openDatabaseClock(into);
  const lastId = await findLastId(source, accountId);
  for (let after = 0; after < lastId; ) {
    const page = await readPage(source, { accountId, after, lastId });
    if (page.length === 0) break;
    const { verdicts } = await applyFeedback(
      into,
      page.map(({ feedback }) => feedback),
      clock.now(),
    );
    for (const verdict of verdicts) counts[verdict] += 1;
    await deleteRelayed(
      source,
      page.filter((_, index) => !isKept(verdicts[index])).map(({ id }) => id),
    );
    after = page.at(-1)?.id ?? lastId;
  }
  return counts;
}

/** For a chore: a move may have been undone between the lookup of a report and its storage, or before the command applied them. */
export async function relayReturnedFeedback(db: Database): Promise<RelayedFeedback[]> {
  const relayed: RelayedFeedback[] = [];
  for (const accountId of await findReturned(db)) relayed.push(await relayFeedback(db, db, accountId));
  return relayed;
}

function isKept(verdict: FeedbackVerdict | undefined): boolean {
  return verdict === undefined || verdict === "unknown-send" || verdict === "from-the-future";
}

async function findLastId(source: Queryable, accountId: string): Promise<number> {
  const [row] = await source.query<{ id: number }>({
    name: "find-last-moved-feedback",
    text: `
      select coalesce(max(id), 0) as id
      from moved_feedback
      where account_id = $1`,
    values: [accountId],
  });
  return row?.id ?? 0;
}

async function readPage(
  source: Queryable,
  { accountId, after, lastId }: { accountId: string; after: number; lastId: number },
): Promise<{ id: number; feedback: Feedback }[]> {
  return source.query<{ id: number; feedback: Feedback }>({
    name: "read-moved-feedback",
    text: `
      select id, feedback
      from moved_feedback
      where account_id = $1
        and id > $2
        and id <= $3
      order by id
      limit $4`,
    values: [accountId, after, lastId, pageSize],
  });
}

async function deleteRelayed(source: Queryable, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await source.query({
    name: "delete-relayed-feedback",
    text: `
      delete from moved_feedback
      where id = any ($1::bigint[])`,
    values: [ids],
  });
}

/** Accounts with reports that are set aside although they live here. */
async function findReturned(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ accountId: string }>({
    name: "find-returned-accounts",
    text: `
      select distinct account_id as "accountId"
      from moved_feedback
      where account_id not in (
        select account_id
        from outgoing_moves
        where state in ('frozen', 'released', 'unknown'))`,
  });
  return rows.map(({ accountId }) => accountId);
}

export interface WaitingFeedback {
  accountId: string;
  reports: number;
  oldestSeconds: number;
}

/** Of each account, among the oldest `countedAtMost` reports. */
export async function countMovedFeedback(db: Queryable, countedAtMost = 10_000): Promise<WaitingFeedback[]> {
  return db.query<WaitingFeedback>({
    name: "count-moved-feedback",
    text: `
      select account_id as "accountId", count(*) as reports, extract(epoch from now() - min(stored_at))::float8 as "oldestSeconds"
      from (
        select account_id, stored_at
        from moved_feedback
        order by id
        limit $1
      ) as oldest
      group by account_id
      order by account_id`,
    values: [countedAtMost],
  });
}
