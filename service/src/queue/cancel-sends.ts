import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { cancelMessage, isCancellable, isCancellableScheduled } from "./cancelled-sends.ts";
import { failFound, failsSends } from "./fail-queued.ts";
import { type QueuedFilter, queueEnd } from "./queued-of-account.ts";

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
 * ready, waiting, parked or scheduled → failed with CANCELLED, for queued sends of one account. A leased or in-doubt send may already be with the
 * provider and stays, and so does one that is not checked yet after a failover. The reason says when the outcome of an earlier attempt is unknown. `onBatch` gets the number so far after every batch. Returns the number of sends that moved.
 */
export async function cancelSends(
  db: Queryable,
  cancellation: Cancellation,
  onBatch: (cancelled: number) => void = () => undefined,
): Promise<number> {
  let cancelled = await cancelScheduled(db, cancellation, onBatch);
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const last = await lastIdOfBatch(db, cancellation, after);
    if (last === undefined) return cancelled;
    cancelled += await cancelBatch(db, cancellation, after, last);
    onBatch(cancelled);
    after = last;
  }
}

/** Scheduled sends have an index by account. A send that is due meanwhile is in the queue then, which the caller scans next. */
async function cancelScheduled(
  db: Queryable,
  { accountId, apiKeyId, before, message, actor = systemActor }: Cancellation,
  onBatch: (cancelled: number) => void,
): Promise<number> {
  let [cancelled, after] = [0, "00000000-0000-0000-0000-000000000000"];
  for (;;) {
    const [row] = await db.query<{ last: string | null; cancelled: number }>({
      name: "cancel-scheduled-sends",
      text: `
        with scanned as materialized (
          select id
          from scheduled_sends
          where account_id = $1
            and id > $3
            and id < ${queueEnd("$4")}
          order by id
          limit $5
        ), found as materialized (
          select locked.id, 'CANCELLED' as error_code, $6::text as error_message
          from scanned
          cross join lateral ${indexLookup(`
            select
            from sends s
            where s.id = scanned.id and ($2::uuid is null or s.api_key_id = $2)`)} as record
          cross join lateral (
            select p.id
            from scheduled_sends p
            where p.id = scanned.id
              and p.account_id = $1
              and ${isCancellableScheduled("p")}
            for update skip locked
          ) as locked
        ), ${failFound}, ${auditEntry({
          action: "send.cancel",
          actor: "$7",
          target: { kind: "account", id: "$1::uuid", name: "(select name from accounts where id = $1)" },
          after: { sends: "batch.sends", api_key_id: "$2::uuid", before: "$4::timestamptz" },
          from: "(select count(*) as sends from failed) as batch where batch.sends > 0",
        })}
        select (select max(id::text collate "C") from scanned) as last, (select count(*) from failed) as cancelled`,
      values: [accountId, apiKeyId ?? null, after, before ?? null, sendsPerBatch, message, JSON.stringify(actor)],
      ...failsSends,
    });
    if (row === undefined || row.last === null) return cancelled;
    cancelled += row.cancelled;
    onBatch(cancelled);
    after = row.last;
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
      with locked as materialized (
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
          and ${isCancellable("q")}
        order by q.id
        for update of q skip locked
      ), found as materialized (
        select id, 'CANCELLED' as error_code, ${cancelMessage("locked.id", "$6")} as error_message
        from locked
      ), ${failFound}, ${auditEntry({
        action: "send.cancel",
        actor: "$7",
        target: { kind: "account", id: "$1::uuid", name: "(select name from accounts where id = $1)" },
        after: { sends: "batch.sends", api_key_id: "$2::uuid", before: "$5::timestamptz" },
        from: "(select count(*) as sends from failed) as batch where batch.sends > 0",
      })}
      select id
      from failed`,
    values: [accountId, apiKeyId ?? null, after, last, before ?? null, message, JSON.stringify(actor)],
    ...failsSends,
  });
  return rows.length;
}
