import type { Queryable } from "../db/database.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "../sends/attempt-details.ts";

const atOnce = 1_000;

/** Attempts of the time that was lost had numbers nobody knows any more; those to come must not be taken for them. */
const attemptsSkipped = 1_000;

export interface Sweep {
  markedInDoubt: number;
  /** Of the whole change, when this was the end of it. */
  total: number | null;
}

/**
 * ready, leased, waiting, parked, in-doubt → in-doubt as of the change, some at a time. The last step lets claims go on.
 * Serves all accounts; one worker does it at a time, and another goes on where it stopped. Undefined: nothing to be done here.
 */
export async function sweepOlderSends(db: Queryable): Promise<Sweep | undefined> {
  const [row] = await db.query<Sweep>({
    name: "sweep-older-sends",
    text: `
      with change as materialized (
        select c.id, c.swept_to, c.last_id, c.in_doubt_since
        from provider_state p
        join failovers c on c.swept_at is null
        where p.mode = 'live' and p.server_run = ''
        order by c.id desc
        limit 1
        for update skip locked
      ), found as materialized (
        select older.id, older.state, change.in_doubt_since
        from change
        cross join lateral (
          select q.id, q.state
          from send_queue q
          where q.mode = 'live' and q.id > change.swept_to and q.id <= change.last_id
          order by q.id
          limit $1
          for update
        ) as older
      ), moved as (
        update send_queue q
        set state = 'in-doubt', due_at = found.in_doubt_since, attempt = q.attempt + $2, attempted_at = found.in_doubt_since
        from found
        where q.id between found.id and found.id
        returning q.id, q.attempt, q.attempted_at, found.state
      ), recorded as (
        insert into send_attempts (send_id, attempt, started_at, outcome, detail)
        select id, attempt, attempted_at, 'unknown', case when state in ('leased', 'in-doubt') then $4 else $3 end
        from moved
        order by id
        on conflict (send_id, attempt) do nothing
      ), swept as (
        update failovers c
        set swept_to = coalesce((select found.id from found order by found.id desc limit 1), c.swept_to),
            sends = c.sends + (select count(*) from found),
            swept_at = case when not exists (select from found) then now() end
        from change
        where c.id = change.id
        returning c.sends, c.swept_at
      ), released as (
        update provider_state p
        set server_run = server_run()
        from swept
        where p.mode = 'live' and p.server = server_identity() and swept.swept_at is not null
      )
      select (select count(*) from found) as markedInDoubt, case when swept_at is not null then sends end as total
      from swept`,
    values: [atOnce, attemptsSkipped, failoverWhileQueued, failoverWhileSubmitting],
  });
  return row;
}

/**
 * in-doubt → ready, of the last change, because the operator knows that nothing was lost by it. What was being handed over
 * or in doubt before stays in doubt. Returns how many.
 */
export async function releaseSweptSends(db: Queryable): Promise<number> {
  for (let withdrawn = 0; ; ) {
    const count = await withdrawSome(db);
    if (count === 0) return withdrawn;
    withdrawn += count;
  }
}

async function withdrawSome(db: Queryable): Promise<number> {
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
        set outcome = 'returned', ended_at = now(), detail = 'the database server changed and nothing was lost'
        from found
        where a.send_id = found.id and a.attempt = found.attempt
      )
      update send_queue q
      set state = 'ready', due_at = null
      from found
      where q.id between found.id and found.id
      returning q.id`,
    values: [atOnce, failoverWhileQueued],
  });
  return rows.length;
}
