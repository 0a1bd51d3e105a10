import type { Transaction } from "../db/database.ts";
import { attemptsSkipped } from "../in-doubt/failover-sweep.ts";
import { storeScheduledContents } from "../queue/scheduled-contents.ts";
import { failoverWhileQueued } from "../sends/attempt-details.ts";

const rowsPerStep = 1_000;
/** Their contents come back with them. */
const scheduledPerStep = 50;

/**
 * Puts the next rows of `moved_rows` back to their tables. Returns how many it took; 0 when none is left. A send that was ready comes back as
 * parked since the freeze, so that workers queue it as after any suspension, behind the mail that others sent meanwhile. The retry window of
 * a send that waits for its retry did not go on.
 *
 * `isAfterFailover`: a run that put the rows back may have been undone, and workers may have submitted sends of live mail since. Those are then in
 * doubt, as the sweep leaves all others (in-doubt/failover-sweep.ts).
 */
export async function returnRows(tx: Transaction, accountId: string, isAfterFailover: boolean): Promise<number> {
  const sends = await returnSends(tx, accountId, isAfterFailover);
  if (sends > 0) return sends;
  if (isAfterFailover) {
    const due = await returnDueInDoubt(tx, accountId);
    if (due > 0) return due;
  }
  const scheduled = await returnScheduled(tx, accountId);
  return scheduled > 0 ? scheduled : returnWebhooks(tx, accountId);
}

/** SQL: the step `gone`: the next rows of this kind, deleted from `moved_rows`. */
function takeNext(kind: string, limit: number, condition = "true"): string {
  return `gone as (
        delete from moved_rows m
        where m.account_id = $1
          and m.kind = '${kind}'
          and m.id = any (array(
            select id from moved_rows where account_id = $1 and kind = '${kind}' and ${condition} order by id limit ${limit}
          ))
        returning m.id, m.row
      )`;
}

/** SQL: the step that counts the sends of the step `returned` again. */
const countAgain = `counted as (
        insert into queued_recipient_changes (account_id, mode, difference)
        select account_id, mode, sum(counted_recipients)
        from returned
        where counted_recipients is not null
        group by account_id, mode
      )`;

/** SQL: since when sends count as in doubt after the last failover. */
const inDoubtSince = "coalesce((select f.in_doubt_since from failovers f order by f.id desc limit 1), now())";

async function returnSends(tx: Transaction, accountId: string, isAfterFailover: boolean): Promise<number> {
  const [row] = await tx.query<{ gone: number }>({
    name: "return-queued-sends",
    text: `
      with failover as materialized (
        select ${inDoubtSince} as since
      ), move as materialized (
        select coalesce(frozen_at, now()) as frozen_at
        from outgoing_moves
        where account_id = $1
      ), ${takeNext("send_queue", rowsPerStep)}, returned as (
        insert into send_queue
        select back.*
        from gone
        cross join move
        cross join failover
        cross join lateral jsonb_populate_record(null::send_queue, gone.row || case
          when $2 and gone.row ->> 'mode' = 'live' then jsonb_build_object(
            'state', 'in-doubt', 'due_at', failover.since, 'attempted_at', failover.since,
            'attempt', (gone.row ->> 'attempt')::integer + $3)
          when gone.row ->> 'state' in ('ready', 'leased') then jsonb_build_object('state', 'parked', 'due_at', move.frozen_at)
          when gone.row ->> 'state' = 'waiting' then jsonb_build_object(
            'retrying_since', retry_clock(gone.row ->> 'mode') - make_interval(secs => (gone.row ->> 'retrying_seconds')::float8))
          else '{}' end) as back
        order by back.id
        on conflict (id) do nothing
        returning id, account_id, mode, state, attempt, attempted_at, counted_recipients
      ), ${countAgain}, recorded as (
        insert into send_attempts (send_id, attempt, started_at, outcome, detail)
        select id, attempt, attempted_at, 'unknown', $4
        from returned
        where $2
          and mode = 'live'
        order by id
        on conflict (send_id, attempt) do nothing
      )
      select count(*) as gone
      from gone`,
    values: [accountId, isAfterFailover, attemptsSkipped, failoverWhileQueued],
  });
  return row?.gone ?? 0;
}

/** As `sweepDueScheduled`. */
async function returnDueInDoubt(tx: Transaction, accountId: string): Promise<number> {
  const isDue = `row ->> 'mode' = 'live' and (row ->> 'scheduled_at')::timestamptz <= ${inDoubtSince}`;
  const [row] = await tx.query<{ gone: number }>({
    name: "return-due-in-doubt",
    text: `
      with failover as materialized (
        select ${inDoubtSince} as since
      ), ${takeNext("scheduled_sends", scheduledPerStep, isDue)}, moving as materialized (
        select back.*, failover.since
        from gone
        cross join failover
        cross join lateral jsonb_populate_record(null::scheduled_sends, gone.row) as back
      ), returned as (
        insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, attempted_at, from_domain, counted_recipients,
          expires_at, recipients, attachment_bytes, tags)
        select id, account_id, mode, 'in-doubt', scheduled_at, since, $2, since, from_domain, counted_recipients,
          expires_at, recipients, attachment_bytes, tags
        from moving
        order by id
        returning id, account_id, mode, attempt, attempted_at, counted_recipients
      ), ${storeScheduledContents("moving")}, ${countAgain}, recorded as (
        insert into send_attempts (send_id, attempt, started_at, outcome, detail)
        select id, attempt, attempted_at, 'unknown', $3
        from returned
        order by id
        on conflict (send_id, attempt) do nothing
      )
      select count(*) as gone
      from gone`,
    values: [accountId, attemptsSkipped, failoverWhileQueued],
  });
  return row?.gone ?? 0;
}

async function returnScheduled(tx: Transaction, accountId: string): Promise<number> {
  const [row] = await tx.query<{ gone: number }>({
    name: "return-scheduled-sends",
    text: `
      with ${takeNext("scheduled_sends", scheduledPerStep)}, returned as (
        insert into scheduled_sends
        select back.*
        from gone
        cross join lateral jsonb_populate_record(null::scheduled_sends, gone.row) as back
        order by back.id
        on conflict (id) do nothing
        returning account_id, mode, counted_recipients
      ), ${countAgain}
      select count(*) as gone
      from gone`,
    values: [accountId],
  });
  return row?.gone ?? 0;
}

/** Receivers get a notification at least once, so a delivery that was attempted before a failover may be attempted again. */
async function returnWebhooks(tx: Transaction, accountId: string): Promise<number> {
  const [row] = await tx.query<{ gone: number }>({
    name: "return-queued-webhooks",
    text: `
      with ${takeNext("webhook_queue", rowsPerStep)}, returned as (
        insert into webhook_queue
        select back.*
        from gone
        cross join lateral jsonb_populate_record(null::webhook_queue, gone.row) as back
        order by back.delivery_id
        on conflict (delivery_id) do nothing
      )
      select count(*) as gone
      from gone`,
    values: [accountId],
  });
  return row?.gone ?? 0;
}
