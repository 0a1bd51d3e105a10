import { type Actor, systemActor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { hasContent, lockedContentOf } from "../sends/content-lookup.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { type SendErrorCode, sendErrorCodes } from "./settle-sends.ts";

/** The mail of these sends is not wanted any more. */
const finalCodes = ["CANCELLED", "EXPIRED"] as const satisfies SendErrorCode[];

export type RetryableCode = Exclude<SendErrorCode, (typeof finalCodes)[number]>;

export const retryableCodes = sendErrorCodes.filter(
  (code): code is RetryableCode => !finalCodes.some((final) => final === code),
);

export interface FailedFilter {
  code: RetryableCode;
  /** Accepted at this time or later. */
  since: string;
  accountId: string | undefined;
}

export interface FailedSend {
  id: string;
  accountId: string;
  mode: Mode;
  fromAddress: string;
  toAddresses: string[];
  queuedAt: string;
  errorMessage: string;
  /** Why it cannot be retried; null when it can. */
  obstacle: "no content" | "submitted" | null;
}

const scannedPerPage = 20_000;

/**
 * For the operator, over all accounts that are not on their way to another cell, or of one account: the sends that failed with this code, oldest first, page by page. Failed sends have no index,
 * so each page scans 20,000 sends accepted since then. `next` is undefined after the last page.
 */
export async function findFailed(db: Queryable, { code, since, accountId }: FailedFilter, after: string | undefined) {
  const rows = await db.query<FailedSend & { scanned: number; lastId: string }>({
    name: "find-failed",
    text: `
      with scanned as materialized (
        select id, account_id, mode, status, from_address, to_addresses, queued_at, error_code, error_message,
          provider_message_id
        from sends
        where id >= greatest(first_id_at($3::timestamptz), $4::uuid)
          and ($4::uuid is null or id > $4)
        order by id
        limit $5
      ), failed as materialized (
        select id, account_id, mode, from_address, to_addresses, queued_at, error_message,
          case
            when provider_message_id is not null then 'submitted'
            when not ${hasContent("scanned.id")} then 'no content' end as obstacle
        from scanned
        where status = 'failed'
          and error_code = $1
          and case when $2::uuid is null then account_id not in (select account_id from moving_accounts) else account_id = $2 end
      )
      select end_of.scanned as "scanned", end_of.last_id as "lastId", failed.id, failed.account_id as "accountId",
        failed.mode, failed.from_address as "fromAddress", failed.to_addresses as "toAddresses",
        failed.queued_at as "queuedAt", failed.error_message as "errorMessage", failed.obstacle
      from (
        select count(*) as scanned, max(id::text collate "C") as last_id
        from scanned
      ) as end_of
      left join failed on true
      order by failed.id`,
    values: [code, accountId ?? null, since, after ?? null, scannedPerPage],
    isPlannedEachTime: true,
  });
  const next = rows[0]?.scanned === scannedPerPage ? rows[0].lastId : undefined;
  // A page without failed sends is one row with the end of the scan and nothing else.
  return { failed: rows.filter(({ id }) => id !== null), next };
}

export interface Retry {
  id: string;
  fromDomain: string;
  /** Position within its account, from 1: it spaces the sends of one account, so that others go out in between. */
  position: number;
}

/**
 * failed → waiting, on request of the operator. The content must still exist, and the provider must not be known to have accepted
 * the send. Attempt numbers continue, and recipients that dropped out stay out. Each account gets one audit entry. Returns the ids that
 * moved.
 *
 * The send waits 30 seconds before it is ready. Evidence that another statement was storing while the send had no row in the queue
 * is committed by then, because no statement runs longer than ten seconds, and `promoteDueSends` sees it.
 */
export async function retryFailed(
  db: Queryable,
  code: RetryableCode,
  retries: Retry[],
  actor: Actor = systemActor,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "retry-failed",
    text: `
      with given as materialized (
        select id, from_domain, position
        from unnest($2::uuid[], $3::text[], $4::integer[]) as given (id, from_domain, position)
        order by id
      ), failed as materialized (
        select given.id, given.from_domain, given.position, record.account_id, record.mode, record.keys, record.filtered,
          record.attachment_bytes, record.tags, record.expires_at
        from given
        cross join lateral (
          select s.account_id, s.mode, s.attachment_bytes, s.tags, s.expires_at,
            coalesce(s.suppressed_recipients, '{}') as filtered,
            coalesce(s.recipient_keys, array(
              select lower(address)
              from unnest(s.to_addresses) with ordinality as one (address, position)
              order by one.position
            )) as keys
          from sends s
          where s.id = given.id
            and s.status = 'failed'
            and s.error_code = $1
            and s.provider_message_id is null
          for update
        ) as record
        cross join lateral ${lockedContentOf("given.id")} as content
      ), remaining as materialized (
        select failed.id, failed.from_domain, failed.position, failed.account_id, failed.mode, failed.attachment_bytes, failed.tags,
          failed.expires_at, array(
          select one.key
          from unnest(failed.keys) with ordinality as one (key, position)
          where one.key <> all (failed.filtered || dropped_out.recipients)
          order by one.position
        ) as recipients
        from failed
        cross join lateral (
          select array(
            select e.recipient
            from events e
            where e.send_id = failed.id
              and e.id >= first_id_at(time_of_id(failed.id))
              and e.event_type = 'Suppression'
          ) as recipients
        ) as dropped_out
      ), queued as (
        insert into send_queue (
          id, account_id, mode, state, fair_at, due_at, attempt, from_domain, expires_at, recipients, attachment_bytes, tags
        )
        select r.id, r.account_id, r.mode, 'waiting', now() + r.position * interval '60 s' / account.limit_per_minute,
          now() + interval '30 s',
          coalesce((select max(a.attempt) from send_attempts a where a.send_id = r.id), 0), r.from_domain, r.expires_at,
          r.recipients, r.attachment_bytes, r.tags
        from remaining r
        join accounts account on account.id = r.account_id
        where cardinality(r.recipients) > 0
        order by r.id
        on conflict (id) do nothing
        returning id
      ), moved as (
        update sends
        set status = 'queued', error_code = null, error_message = null
        from queued
        where ${equalByIndex("sends.id", "queued.id")}
        returning sends.id, ${failedColumns}
      ), usage as (${countFailed("moved", "-")}
      ), ${auditEntry({
        action: "send.retry",
        actor: "$5",
        account: "batch.account_id",
        target: {
          kind: "account",
          id: "batch.account_id",
          name: "(select name from accounts where id = batch.account_id)",
        },
        after: { sends: "batch.sends", error_code: "$1::text" },
        from: "(select account_id, count(*) as sends from moved group by account_id) as batch",
      })}
      select id
      from moved`,
    values: [
      code,
      retries.map(({ id }) => id),
      retries.map(({ fromDomain }) => fromDomain),
      retries.map(({ position }) => position),
      JSON.stringify(actor),
    ],
    changesSends: true,
  });
  return rows.map((row) => row.id);
}
