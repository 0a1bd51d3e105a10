import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";
import { isCrashed, reach } from "./consumer-store.ts";

const atOnce = 1_000;

/**
 * leased → in-doubt: the worker died, hangs, or cannot reach the database; what it did before is not known. It may have handed
 * the send over as late as the lease allowed, so the wait for evidence begins where the lease ended.
 */
export async function markExpiredLeasesInDoubt(db: Queryable, mode: Mode): Promise<number> {
  const rows = await db.query({
    name: "mark-expired-leases-in-doubt",
    text: `
      with expired as materialized (
        select id
        from send_queue
        where mode = $1 and state = 'leased' and due_at < now()
        order by due_at
        limit $2
        for update skip locked
      ), moved as (
        update send_queue q
        set state = 'in-doubt'
        from expired
        where q.id between expired.id and expired.id
        returning q.id, q.attempt, q.attempted_at
      )
      insert into send_attempts (send_id, attempt, started_at, outcome, detail)
      select id, attempt, attempted_at, 'unknown', 'the lease ran out'
      from moved
      order by id
      on conflict (send_id, attempt) do update set ended_at = now()
      returning send_id`,
    values: [mode, atOnce],
  });
  return rows.length;
}

export interface InDoubtRule {
  /** How long evidence is waited for when events of others are known to arrive. */
  inDoubtSeconds: number;
  /** How long it is waited for when nothing is known of the events. */
  inDoubtMaxSeconds: number;
}

/**
 * Silence is evidence against an attempt that ended before this time. It means something once a hand-over long enough after
 * that was told of (events of neighbours come in any order, however long they have stood in a queue), or once the
 * provider's queue of events was empty long enough after it and events have come within a day. Two things make it worthless:
 * a queue that is read again only now, and messages in the hands of the dead, which come back behind all others. Where
 * nothing is known of events, the longest wait decides, of which only the time counts when somebody was there to listen, and
 * not while the latest hand-over that was told of is older still.
 */
const silentBefore = `(
          select greatest(
            case
              when heard.until < polled_since then null
              when exists (
                select
                from feedback_consumers r
                where r.mode = $1 and ${isCrashed("r")} and r.visible_again_at > heard.until
              ) then null
              else heard.until end,
            case
              when workers_up_since > waited.until then null
              when last_report_at > waited.until then least(reported_submission_at, waited.until)
              else waited.until end)
          from feedback_progress,
            lateral (
              select case when confirmed_read_up_to < latest then confirmed_read_up_to else latest end as until
              from (select ${reach} - make_interval(secs => $2) as latest) as told
            ) as heard,
            lateral (select now() - make_interval(secs => $3) as until) as waited
          where mode = $1)`;

const silent = `silent as materialized (
        select id
        from send_queue
        where mode = $1 and state = 'in-doubt' and due_at < ${silentBefore}
        order by due_at
        limit $4
        for update skip locked
      )`;

/** in-doubt → ready: handed over again, and if the first one did arrive, twice. Returns the ids. */
export async function resendInDoubt(db: Queryable, mode: Mode, rule: InDoubtRule): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "resend-in-doubt",
    text: `
      with ${silent}
      update send_queue q
      set state = 'ready', due_at = null
      from silent
      where q.id between silent.id and silent.id
      returning q.id`,
    values: [mode, rule.inDoubtSeconds, rule.inDoubtMaxSeconds, atOnce],
  });
  return rows.map((row) => row.id);
}

/** in-doubt → failed, which evidence still corrects. Returns the ids. */
export async function failInDoubt(db: Queryable, mode: Mode, rule: InDoubtRule): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "fail-in-doubt",
    text: `
      with ${silent}, released as (
        delete from send_queue q
        using silent
        where q.id between silent.id and silent.id
        returning q.id
      ), moving as materialized (
        select released.id
        from (select id from released order by id) as released
        cross join lateral (
          select
          from sends s
          where s.id = released.id and s.status = 'queued'
          for update
        ) as locked
      )
      update sends
      set status = 'failed', error_code = 'PROVIDER_OUTCOME_UNKNOWN',
          error_message = 'The provider did not say whether it took this send, and it is not sent again.'
      from moving
      where sends.id between moving.id and moving.id
      returning sends.id`,
    values: [mode, rule.inDoubtSeconds, rule.inDoubtMaxSeconds, atOnce],
    changesSends: true,
  });
  return rows.map((row) => row.id);
}
