import { byteaArray } from "../db/array-param.ts";
import type { Transaction } from "../db/database.ts";
import { dropTakenRows, type MovedRow, takeRows } from "./moved-rows.ts";

/**
 * Target: inserts taken rows in the queues of this cell, with the contents of scheduled sends sealed for it. Rows that are there stay as they are. Returns
 * how many it inserted.
 *
 * 1. A send is parked from now on; workers queue it after the release, as after any suspension. Its position is as far behind the first one as in the source.
 *    `queue_tails` needs no row: it only matters with `rate_windows`, which starts empty here, as after a crash of the server.
 * 2. What is left of its retry window is the same.
 * 3. It counts against the quota of queued recipients of this cell.
 */
export async function insertMovedRows(tx: Transaction, accountId: string, rows: MovedRow[]): Promise<number> {
  const of = (kind: MovedRow["kind"]) => rows.filter((row) => row.kind === kind);
  const sends = await insertSends(tx, accountId, of("send_queue"));
  const scheduled = await insertScheduled(tx, accountId, of("scheduled_sends"));
  return sends + scheduled + (await insertWebhooks(tx, accountId, of("webhook_queue")));
}

/** SQL: the counted recipients of a row in this cell. As `isQueueCounted` of accept/quotas.ts. */
const counted = `case when exists (
            select from account_quotas a
            where a.account_id = $1 and a.mode = given.row ->> 'mode' and a.queued_recipients is not null
          ) then jsonb_array_length(given.row -> 'recipients') end`;

const countInserted = `counted as (
        insert into queued_recipient_changes (account_id, mode, difference)
        select account_id, mode, sum(counted_recipients)
        from inserted
        where counted_recipients is not null
        group by account_id, mode
      )`;

async function insertSends(tx: Transaction, accountId: string, rows: MovedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [row] = await tx.query<{ inserted: number }>({
    name: "insert-moved-sends",
    text: `
      with given as materialized (
        select row
        from unnest($2::jsonb[]) as given (row)
        where row ->> 'account_id' = $1::uuid::text
      ), inserted as (
        insert into send_queue
        select send.*
        from given
        cross join lateral jsonb_populate_record(null::send_queue, given.row || jsonb_build_object(
          'state', 'parked',
          'due_at', now(),
          'fair_at', now() + make_interval(secs => (given.row ->> 'fair_seconds')::float8),
          'retrying_since', retry_clock(given.row ->> 'mode') - make_interval(secs => (given.row ->> 'retrying_seconds')::float8),
          'counted_recipients', ${counted}
        )) as send
        order by send.id
        on conflict (id) do nothing
        returning account_id, mode, counted_recipients
      ), ${countInserted}
      select count(*) as inserted
      from inserted`,
    values: [accountId, rows.map((each) => each.row)],
  });
  return row?.inserted ?? 0;
}

async function insertScheduled(tx: Transaction, accountId: string, rows: MovedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [row] = await tx.query<{ inserted: number }>({
    name: "insert-moved-scheduled",
    text: String.raw`
      with given as materialized (
        select row, sealed
        from unnest($2::jsonb[], $3::bytea[]) as given (row, sealed)
        where row ->> 'account_id' = $1::uuid::text
      ), inserted as (
        insert into scheduled_sends
        select send.*
        from given
        cross join lateral jsonb_populate_record(null::scheduled_sends, given.row || jsonb_build_object(
          'sealed', '\x' || encode(given.sealed, 'hex'),
          'counted_recipients', ${counted}
        )) as send
        order by send.id
        on conflict (id) do nothing
        returning account_id, mode, counted_recipients
      ), ${countInserted}
      select count(*) as inserted
      from inserted`,
    values: [accountId, rows.map((each) => each.row), byteaArray(rows.map(({ sealed }) => sealed))],
  });
  return row?.inserted ?? 0;
}

async function insertWebhooks(tx: Transaction, accountId: string, rows: MovedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const [row] = await tx.query<{ inserted: number }>({
    name: "insert-moved-webhooks",
    text: `
      with inserted as (
        insert into webhook_queue
        select delivery.*
        from unnest($2::jsonb[]) as given (row)
        cross join lateral jsonb_populate_record(null::webhook_queue, given.row) as delivery
        where delivery.account_id = $1
        order by delivery.delivery_id
        on conflict (delivery_id) do nothing
        returning delivery_id
      )
      select count(*) as inserted
      from inserted`,
    values: [accountId, rows.map((each) => each.row)],
  });
  return row?.inserted ?? 0;
}

/**
 * Target: deletes what the queues have of the account. Call it before the first `insertMovedRows` of a run: an earlier run may have inserted rows, and
 * then the source, after a failover, worked on these sends again.
 */
export async function emptyQueues(tx: Transaction, accountId: string): Promise<void> {
  await takeRows(tx, accountId, { isEverything: true });
  while ((await dropTakenRows(tx, accountId)) > 0);
}
