import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import { uncountQueued } from "../queue/queued-recipients.ts";
import { isStillQueued, storeScheduledContents } from "../queue/scheduled-contents.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "../sends/attempt-details.ts";

const batchSize = 1_000;

/** The lost attempts had numbers that nobody knows. New attempts skip this many, so that evidence never mixes them up. */
export const attemptsSkipped = 1_000;

export interface Sweep {
  markedInDoubt: number;
  /** The sum over all batches, when this was the last one. */
  total: number | null;
}

/**
 * ready, leased, waiting, parked, in-doubt → in-doubt since the failover, one batch at a time. The last batch, an empty one, lets
 * workers claim again. Serves all accounts. One worker sweeps at a time, and another continues where it stopped. Returns
 * undefined when there is nothing to sweep, or another worker sweeps.
 */
export async function sweepOlderSends(db: Queryable): Promise<Sweep | undefined> {
  const [row] = await db.query<Sweep>({
    name: "sweep-older-sends",
    text: `
      with failover as materialized (
        select f.id, f.swept_to, f.last_id, f.in_doubt_since
        from provider_state p
        join failovers f on f.swept_at is null
        where p.mode = 'live' and p.server_run = ''
        order by f.id desc
        limit 1
        for update skip locked
      ), found as materialized (
        select older.id, older.state, failover.in_doubt_since
        from failover
        cross join lateral (
          select q.id, q.state
          from send_queue q
          where q.mode = 'live' and q.id > failover.swept_to and q.id <= failover.last_id
          order by q.id
          limit $1
          for update
        ) as older
      ), moved as (
        update send_queue q
        set state = 'in-doubt', due_at = found.in_doubt_since, attempt = q.attempt + $2, attempted_at = found.in_doubt_since
        from found
        where ${equalByIndex("q.id", "found.id")}
        returning q.id, q.attempt, q.attempted_at, found.state
      ), recorded as (
        insert into send_attempts (send_id, attempt, started_at, outcome, detail)
        select id, attempt, attempted_at, 'unknown', case when state in ('leased', 'in-doubt') then $4 else $3 end
        from moved
        order by id
        on conflict (send_id, attempt) do nothing
      ), swept as (
        update failovers f
        set swept_to = coalesce((select found.id from found order by found.id desc limit 1), f.swept_to),
            sends = f.sends + (select count(*) from found),
            -- Those that were due wait for sweepDueScheduled.
            swept_at = case when not exists (select from found) and not exists (
              select from scheduled_sends p where p.mode = 'live' and p.scheduled_at <= f.in_doubt_since
            ) then now() end
        from failover
        where f.id = failover.id
        returning f.sends, f.swept_at
      ), released as (
        update provider_state p
        set server_run = server_run()
        from swept
        where p.mode = 'live' and p.server = server_identity() and swept.swept_at is not null
      )
      select (select count(*) from found) as "markedInDoubt", case when swept_at is not null then sends end as total
      from swept`,
    values: [batchSize, attemptsSkipped, failoverWhileQueued, failoverWhileSubmitting],
  });
  return row;
}

/** Small, because their contents move with them. */
const scheduledPerBatch = 100;

/**
 * scheduled → in-doubt since the failover, for sends that were due by then: the lost period may have submitted them. Others stay scheduled.
 * One batch at a time, before `sweepOlderSends`, which lets workers claim when none is left. Serves all accounts. Returns the number.
 */
export async function sweepDueScheduled(db: Queryable): Promise<number> {
  const rows = await db.query({
    name: "sweep-due-scheduled",
    text: `
      with failover as materialized (
        select f.id, f.in_doubt_since
        from provider_state p
        join failovers f on f.swept_at is null
        where p.mode = 'live' and p.server_run = ''
        order by f.id desc
        limit 1
        for update skip locked
      ), found as materialized (
        select due.*, failover.in_doubt_since
        from failover
        cross join lateral (
          select p.id, p.account_id, p.scheduled_at, p.expires_at, p.from_domain, p.counted_recipients, p.recipients,
            p.attachment_bytes, p.tags, p.sealed
          from scheduled_sends p
          where p.mode = 'live' and p.scheduled_at <= failover.in_doubt_since
          order by p.scheduled_at, p.id
          limit $1
          for update
        ) as due
      ), left_schedule as (
        delete from scheduled_sends p
        using found
        where ${equalByIndex("p.id", "found.id")}
      ), moving as materialized (
        select *
        from found
        where ${isStillQueued("found.id")}
      ), settled as materialized (
        select account_id as queue_account_id, 'live' as queue_mode, counted_recipients
        from found
        where id not in (select id from moving)
      ), uncounted as (${uncountQueued("settled")}
      ), queued as (
        insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, attempted_at, from_domain, counted_recipients,
          expires_at, recipients, attachment_bytes, tags)
        select id, account_id, 'live', 'in-doubt', scheduled_at, in_doubt_since, $2, in_doubt_since, from_domain, counted_recipients,
          expires_at, recipients, attachment_bytes, tags
        from moving
        order by id
      ), ${storeScheduledContents("moving")}, recorded as (
        insert into send_attempts (send_id, attempt, started_at, outcome, detail)
        select id, $2, in_doubt_since, 'unknown', $3
        from moving
        order by id
        on conflict (send_id, attempt) do nothing
      ), counted as (
        update failovers f
        set sends = f.sends + (select count(*) from moving)
        from failover
        where f.id = failover.id
      )
      select id
      from found`,
    values: [scheduledPerBatch, attemptsSkipped, failoverWhileQueued],
  });
  return rows.length;
}

/**
 * in-doubt → ready, for the sends that were not being submitted at the last failover, because the operator knows that it lost nothing. Sends that
 * were being submitted or already in doubt stay in doubt. Returns the number of sends.
 */
export async function releaseSweptSends(db: Queryable): Promise<number> {
  for (let released = 0; ; ) {
    const count = await releaseBatch(db);
    if (count === 0) return released;
    released += count;
  }
}

async function releaseBatch(db: Queryable): Promise<number> {
  const rows = await db.query({
    name: "release-swept-sends",
    text: `
      with found as materialized (
        select q.id, q.attempt
        from send_queue q
        join send_attempts a on a.send_id = q.id and a.attempt = q.attempt
        where q.mode = 'live'
          and q.state = 'in-doubt'
          and q.due_at = (select in_doubt_since from failovers order by id desc limit 1)
          and a.outcome = 'unknown'
          and a.detail = $2
        order by q.id
        limit $1
        for update of q
      ), recorded as (
        update send_attempts a
        set outcome = 'returned', ended_at = now(), detail = 'the failover lost nothing'
        from found
        where a.send_id = found.id and a.attempt = found.attempt
      )
      update send_queue q
      set state = 'ready', due_at = null
      from found
      where ${equalByIndex("q.id", "found.id")}
      returning q.id`,
    values: [batchSize, failoverWhileQueued],
  });
  return rows.length;
}
