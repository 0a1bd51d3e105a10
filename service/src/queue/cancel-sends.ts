import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex, indexLookup } from "../db/stable-plan.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";
import { type QueuedFilter, queueEnd } from "./queued-of-account.ts";
import { uncountColumns, uncountQueued } from "./queued-recipients.ts";

/** Small, because a claim that takes one of its rows makes the whole batch start again: with 5,000, fast claims sent most of the mail. */
const sendsPerBatch = 500;
/** Rows of all accounts that one statement reads, so that it stays short in a long queue. */
const scannedPerBatch = 20_000;

export interface Cancellation extends QueuedFilter {
  /** Only sends of this API key. */
  apiKeyId?: string;
  /** The reason, for the customer. */
  message: string;
  /** For the audit, which gets an entry for each batch. */
  actor?: Actor;
}

/**
 * ready, waiting or parked → failed with CANCELLED, for queued sends of one account. A leased or in-doubt send may already be with the
 * provider and stays. `onBatch` gets the number so far after every batch. Returns the number of sends that moved.
 */
export async function cancelSends(
  db: Queryable,
  cancellation: Cancellation,
  onBatch: (cancelled: number) => void = () => undefined,
): Promise<number> {
  let cancelled = 0;
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const last = await lastIdOfBatch(db, cancellation, after);
    if (last === undefined) return cancelled;
    cancelled += await cancelBatch(db, cancellation, after, last);
    onBatch(cancelled);
    after = last;
  }
}

/** Scans the queue in the order of ids: there is no index by account, and operators do this rarely. */
async function lastIdOfBatch(db: Queryable, { accountId, before }: QueuedFilter, after: string) {
  const [row] = await db.query<{ last: string | null }>({
    name: "last-queued-id",
    text: `
      with scanned as materialized (
        select id, account_id
        from send_queue
        where id > $2
          and id < ${queueEnd("$3")}
        order by id
        limit $4
      ), matching as materialized (
        select id
        from scanned
        where account_id = $1
        order by id
        limit $5
      )
      select max(id::text collate "C") as last
      from scanned
      where (select count(*) from matching) < $5 or id in (select id from matching)`,
    values: [accountId, after, before ?? null, scannedPerBatch, sendsPerBatch],
  });
  return row?.last ?? undefined;
}

/** Skips rows that another statement has locked: a claim or a promotion. The caller repeats. */
async function cancelBatch(db: Queryable, cancellation: Cancellation, after: string, last: string): Promise<number> {
  const { accountId, apiKeyId, before, message, actor = systemActor } = cancellation;
  const rows = await db.query({
    name: "cancel-sends",
    text: `
      with found as materialized (
        select q.id
        from send_queue q
        cross join lateral ${indexLookup(`
          select
          from sends s
          where s.id = q.id and ($2::uuid is null or s.api_key_id = $2)`)} as record
        where q.id > $3
          and q.id <= $4
          and q.id < ${queueEnd("$5")}
          and q.account_id = $1
          and q.state in ('ready', 'waiting', 'parked')
        order by q.id
        for update of q skip locked
      ), released as (
        delete from send_queue q
        using found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id, ${uncountColumns}
      ), uncounted as (${uncountQueued("released")}
      ), ${watchedAccounts("send.failed", "released", { account: "queue_account_id", mode: "queue_mode" })}, cancelled as (
        update sends
        set status = 'failed', error_code = 'CANCELLED', error_message = $6, ${numberNotification}
        from released
        ${joinWatched("released.queue_account_id", "released.queue_mode")}
        where ${equalByIndex("sends.id", "released.id")}
          and sends.status = 'queued'
        returning sends.id, ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify("send.failed", "cancelled")}
      ), usage as (${countFailed("cancelled", "+")}
      ), ${auditEntry({
        action: "send.cancel",
        actor: "$7",
        target: { kind: "account", id: "$1::uuid", name: "(select name from accounts where id = $1)" },
        after: { sends: "batch.sends", api_key_id: "$2::uuid", before: "$5::timestamptz" },
        from: "(select count(*) as sends from cancelled) as batch where batch.sends > 0",
      })}
      select id
      from cancelled`,
    values: [accountId, apiKeyId ?? null, after, last, before ?? null, message, JSON.stringify(actor)],
    changesSends: true,
  });
  return rows.length;
}
