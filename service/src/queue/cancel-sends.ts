import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";

/** Small, because a claim that takes one of its rows makes the whole batch start again: with 5,000, fast claims sent most of the mail. */
const scannedPerBatch = 500;

/**
 * ready, waiting or parked → failed with CANCELLED, for all queued sends of one API key. A leased or in-doubt send may already be
 * with the provider and stays. Returns the number of sends that moved.
 */
export async function cancelSends(db: Queryable, key: { accountId: string; id: string }): Promise<number> {
  let cancelled = 0;
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const last = await lastIdOfBatch(db, key.accountId, after);
    if (last === undefined) return cancelled;
    cancelled += await cancelBatch(db, key, after, last);
    after = last;
  }
}

/** Scans the queue in the order of ids: there is no index by account, and operators do this rarely. */
async function lastIdOfBatch(db: Queryable, accountId: string, after: string): Promise<string | undefined> {
  const [row] = await db.query<{ last: string | null }>({
    name: "last-queued-id",
    text: `
      select max(id::text collate "C") as last
      from (
        select id
        from send_queue
        where id > $2
          and account_id = $1
        order by id
        limit $3
      ) as batch`,
    values: [accountId, after, scannedPerBatch],
  });
  return row?.last ?? undefined;
}

/** Skips rows that another statement has locked: a claim or a promotion. The caller repeats. */
async function cancelBatch(
  db: Queryable,
  key: { accountId: string; id: string },
  after: string,
  last: string,
): Promise<number> {
  const rows = await db.query({
    name: "cancel-sends",
    text: `
      with found as materialized (
        select q.id
        from send_queue q
        cross join lateral ${indexLookup(`
          select
          from sends s
          where s.id = q.id and s.api_key_id = $2`)} as record
        where q.id > $3
          and q.id <= $4
          and q.account_id = $1
          and q.state in ('ready', 'waiting', 'parked')
        order by q.id
        for update of q skip locked
      ), released as (
        delete from send_queue q
        using found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id
      )
      update sends
      set status = 'failed', error_code = 'CANCELLED',
          error_message = 'The operator revoked the API key of this send and cancelled its queued mail.'
      from released
      where ${equalByIndex("sends.id", "released.id")}
        and sends.status = 'queued'
      returning sends.id`,
    values: [key.accountId, key.id, after, last],
    changesSends: true,
  });
  return rows.length;
}
