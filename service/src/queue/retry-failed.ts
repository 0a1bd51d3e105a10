import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";
import type { SendErrorCode } from "./settle-sends.ts";

export interface FailedFilter {
  code: SendErrorCode;
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
  /** Why it cannot be put back; null when it can. */
  obstacle: "no content" | "handed over" | null;
}

const lookedAtOnce = 20_000;

/**
 * Over all accounts, for the operator: which sends failed so, oldest first, page by page. Failed sends have no index of
 * their own, so everything accepted since then is looked at, so many at once. `next` is undefined after the last page.
 */
export async function findFailed(db: Queryable, { code, since, accountId }: FailedFilter, after: string | undefined) {
  const rows = await db.query<FailedSend & { lookedAt: number; lastId: string }>({
    name: "find-failed",
    text: `
      with looked_at as materialized (
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
            when provider_message_id is not null then 'handed over'
            when not exists (select from send_contents c where c.id = looked_at.id) then 'no content' end as obstacle
        from looked_at
        where status = 'failed'
          and error_code = $1
          and ($2::uuid is null or account_id = $2)
      )
      select end_of.looked_at as "lookedAt", end_of.last_id as "lastId", failed.id, failed.account_id as "accountId",
        failed.mode, failed.from_address as "fromAddress", failed.to_addresses as "toAddresses",
        failed.queued_at as "queuedAt", failed.error_message as "errorMessage", failed.obstacle
      from (
        select count(*) as looked_at, max(id::text collate "C") as last_id
        from looked_at
      ) as end_of
      left join failed on true
      order by failed.id`,
    values: [code, accountId ?? null, since, after ?? null, lookedAtOnce],
    isPlannedEachTime: true,
  });
  const next = rows[0]?.lookedAt === lookedAtOnce ? rows[0].lastId : undefined;
  // Without any there is one row that has the place to go on from and nothing else.
  return { failed: rows.filter(({ id }) => id !== null), next };
}

export interface Retry {
  id: string;
  fromDomain: string;
  /** The how manieth of its account it is: they line up one behind the other, and others go in between. */
  place: number;
}

/**
 * failed → waiting, at the operator's wish: its content must still be there, and nothing of it may be known to be handed
 * over. The attempt goes on from the last, and recipients that dropped out stay out. Returns the ids that moved.
 *
 * It waits for 30 seconds before it is ready: evidence that was being written when the send had no row in the queue is
 * committed by then, for no statement runs longer than ten, and `promoteDueSends` sees it.
 */
export async function retryFailed(db: Queryable, code: SendErrorCode, retries: Retry[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "retry-failed",
    text: `
      with given as materialized (
        select id, from_domain, place
        from unnest($2::uuid[], $3::text[], $4::integer[]) as given (id, from_domain, place)
        order by id
      ), failed as materialized (
        select given.id, given.from_domain, given.place, record.account_id, record.mode, record.keys, record.filtered
        from given
        cross join lateral (
          select s.account_id, s.mode, coalesce(s.suppressed_recipients, '{}') as filtered,
            coalesce(s.recipient_keys, array(
              select lower(address)
              from unnest(s.to_addresses) with ordinality as one (address, place)
              order by one.place
            )) as keys
          from sends s
          where s.id = given.id
            and s.status = 'failed'
            and s.error_code = $1
            and s.provider_message_id is null
          for update
        ) as record
        where exists (select from send_contents c where c.id = given.id)
      ), remaining as materialized (
        select failed.id, failed.from_domain, failed.place, failed.account_id, failed.mode, array(
          select one.key
          from unnest(failed.keys) with ordinality as one (key, place)
          where one.key <> all (failed.filtered)
            and not exists (select from events e where e.id = suppression_event_id(failed.id, one.key))
          order by one.place
        ) as recipients
        from failed
      ), queued as (
        insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, from_domain, recipients)
        select r.id, r.account_id, r.mode, 'waiting', now() + r.place * interval '60 s' / account.limit_per_minute,
          now() + interval '30 s',
          coalesce((select max(a.attempt) from send_attempts a where a.send_id = r.id), 0), r.from_domain, r.recipients
        from remaining r
        join accounts account on account.id = r.account_id
        where cardinality(r.recipients) > 0
        order by r.id
        on conflict (id) do nothing
        returning id
      )
      update sends
      set status = 'queued', error_code = null, error_message = null
      from queued
      where sends.id between queued.id and queued.id
      returning sends.id`,
    values: [
      code,
      retries.map(({ id }) => id),
      retries.map(({ fromDomain }) => fromDomain),
      retries.map(({ place }) => place),
    ],
    changesSends: true,
  });
  return rows.map((row) => row.id);
}
