import type { Queryable } from "../db/database.ts";
import { computedOnce, equalByIndex, indexLookup } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { uncountQueued } from "../queue/queued-recipients.ts";
import { isStillQueued, storeScheduledContents } from "../queue/scheduled-contents.ts";
import { queuedBehind } from "./rate-limit.ts";

const sendsPerStep = 1_000;
/**
 * Small, because the step holds the rate windows of its accounts until its commit. An accept statement with a request of one of them waits for
 * it, and with that statement the requests of all other accounts that share its round trip.
 */
const bytesPerStep = 2 * 1024 * 1024;
/** The ticks of other chores wait meanwhile. */
const maxMs = 1_000;

/** scheduled → ready, for all sends that are due, step by step. Serves all accounts. Returns the number of sends. */
export async function queueDueSends(db: Queryable, mode: Mode): Promise<number> {
  const endsAt = performance.now() + maxMs;
  for (let queued = 0; ; ) {
    const step = await queueSome(db, mode);
    queued += step.queued;
    if (step.found === 0 || performance.now() > endsAt) return queued;
  }
}

interface Step {
  found: number;
  queued: number;
}

/**
 * One step. A due send gets its position in the queue as if the API accepted it now: each recipient moves its account back, so many sends of
 * one account that are due at once do not delay those of others.
 *
 * 1. `picked`, `due`: the first due sends, except those of accounts on their way to another cell, unless the server run is not the stored one (in-doubt/failover-store.ts), as many as the bytes of
 *    their contents allow; the first one of any size.
 * 2. `moving`: those whose record is still queued. The others leave without being queued.
 * 3. `reserved`: the position of each account, which moves on in `rate_windows` as for new requests.
 * 4. `queued`, the contents, and `tails` as in the accept statement. `due_at` of a ready send is the time it was scheduled for.
 */
async function queueSome(db: Queryable, mode: Mode): Promise<Step> {
  const [row] = await db.query<Step>({
    name: "queue-due-sends",
    text: `
      with picked as materialized (
        select id, account_id, scheduled_at, expires_at, from_domain, counted_recipients, recipients, attachment_bytes, tags, sealed
        from scheduled_sends
        where mode = $1
          and scheduled_at <= now()
          and account_id not in (select account_id from moving_accounts)
          and (select server_run is null or server_run = server_run() from provider_state where mode = $1)
        order by scheduled_at, id
        limit $2
        for update skip locked
      ), due as materialized (
        select *
        from (
          select picked.*, row_number() over in_order as position, sum(octet_length(sealed)) over in_order as bytes
          from picked
          window in_order as (order by scheduled_at, id rows unbounded preceding)
        ) as sized
        where position = 1
          or bytes <= $3
      ), moving as materialized (
        select *
        from due
        where ${isStillQueued("due.id")}
      ), left_schedule as (
        delete from scheduled_sends p
        using due
        where ${equalByIndex("p.id", "due.id")}
      ), settled as materialized (
        select account_id as queue_account_id, $1::text as queue_mode, counted_recipients
        from due
        where id not in (select id from moving)
      ), uncounted as (${uncountQueued("settled")}
      ), head as materialized (
        select least(now(), (
          select q.fair_at
          from send_queue q
          where q.state = 'ready'
            and q.mode = $1
            and q.fair_at < now() - interval '1 second'
          order by q.fair_at
          limit 1
        )) as at
        from (select from moving limit 1) as first_one
      ), wanted as materialized (
        select given.account_id, given.recipients, account.limits
        from (select account_id, sum(cardinality(recipients))::bigint as recipients from moving group by account_id) as given
        cross join lateral ${indexLookup(`
          select array[a.limit_per_second, a.limit_per_10_seconds, a.limit_per_minute] as limits
          from accounts a
          where a.id = given.account_id`)} as account
      ), reserved as (
        insert into rate_windows as w (
          account_id, mode, times, totals, fair_at, wanted, recipient_sums, limits, decided_at, granted, fair_before, retry_ms, remaining
        )
        select wanted.account_id, $1, '{}', '{}', head.at + wanted.recipients * interval '60 s' / wanted.limits[3], 0, '{}', wanted.limits,
          now(), 0, head.at, 0, '{0,0,0}'
        from wanted, head
        order by wanted.account_id
        on conflict (account_id, mode) do update
        set (fair_before, fair_at) = (
          select position.before, position.before + (excluded.fair_at - excluded.fair_before)
          from ${computedOnce(`select ${queuedBehind("excluded.fair_before")} as before`)} as position
        )
        returning account_id, fair_before
      ), positioned as materialized (
        select moving.id, moving.account_id, moving.scheduled_at, moving.from_domain, moving.counted_recipients, moving.expires_at, moving.recipients,
          moving.attachment_bytes, moving.tags, moving.sealed,
          reserved.fair_before + sum(cardinality(moving.recipients)) over (
            partition by moving.account_id order by moving.scheduled_at, moving.id rows unbounded preceding
          ) * interval '60 s' / wanted.limits[3] as fair_at
        from moving
        join wanted using (account_id)
        join reserved using (account_id)
      ), queued as (
        insert into send_queue (
          id, account_id, mode, fair_at, due_at, from_domain, counted_recipients, expires_at, recipients, attachment_bytes, tags
        )
        select id, account_id, $1, fair_at, scheduled_at, from_domain, counted_recipients, expires_at, recipients, attachment_bytes, tags
        from positioned
        order by id
      ), ${storeScheduledContents("positioned")}, tails as (
        insert into queue_tails (account_id, mode, send_id)
        select distinct on (account_id) account_id, $1, id
        from positioned
        where fair_at > (select at from head) + interval '1 minute'
        order by account_id, fair_at desc
        on conflict (account_id, mode) do update
        set send_id = excluded.send_id
      )
      select (select count(*) from due) as found, (select count(*) from positioned) as queued`,
    values: [mode, sendsPerStep, bytesPerStep],
  });
  return row ?? { found: 0, queued: 0 };
}
