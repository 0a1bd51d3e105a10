import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";
import { uncountColumns, uncountQueued } from "../queue/queued-recipients.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";
import { isCrashed } from "./consumer-store.ts";
import { readUpTo } from "./feedback-progress.ts";

/**
 * Resolving unknown outcomes. The outcome of a submission is unknown when the worker crashed or the answer of SES was lost. SES
 * has no idempotency token, but its events carry the send id and the attempt.
 *
 * 1. Evidence for. Any event for this send and attempt proves that SES accepted it. The send becomes `sent`; that move is
 *    `confirmSubmissions` in queue/confirm-submission.ts, and this file only sees sends without such an event.
 * 2. Evidence against. T is the time up to which consumers have read all events (`readUpTo` in feedback-progress.ts). It is the later of
 *    the submission time of the newest submission that SES reported, and the last time the queue was empty (which counts only if SES
 *    reported a submission within 24 hours). If an attempt ended more than IN_DOUBT_SECONDS before T and has no event, SES did not
 *    accept it. A consumer that crashed in the last seconds is not known yet, so the attempt must also have ended before an older T
 *    that was noted at least 15 s ago (`confirmed_read_up_to`).
 * 3. No evidence. The absence of an event proves nothing while
 *    a) consumers have not yet read IN_DOUBT_SECONDS past the moment at which they resumed reading (`polled_since`), or
 *    b) a crashed consumer may still hold messages in flight: SQS redelivers those after everything else.
 * 4. Give up waiting. When an attempt ended more than IN_DOUBT_MAX_SECONDS ago, it is resolved without evidence, if
 *    a) workers were running all that time, and
 *    b) SES reported no submission in that time, or it already reported a submission that was made after the attempt. Otherwise the
 *       event may still be in a backlog.
 * 5. Resolve, after 2 or 4. IN_DOUBT_POLICY=resend queues the send again. If SES had accepted it, a second mail goes out and is counted.
 *    IN_DOUBT_POLICY=fail ends it as PROVIDER_OUTCOME_UNKNOWN. A later event still corrects `failed` to `sent`.
 */

export interface InDoubtRule {
  /** How far consumers must have read past an attempt: covers the delay and the disorder of events. */
  inDoubtSeconds: number;
  /** The longest wait when nothing is known about events. */
  inDoubtMaxSeconds: number;
}

/**
 * The steps `read_far_enough`, `evidence_against` and `given_up` each yield a time: they resolve the attempts that ended before it. When one
 * of the last two is null, it resolves nothing, and `greatest` ignores it. The comments name the item of the rule. `due_at` of a send in doubt is the end of its
 * attempt.
 */
const resolvable = `progress as materialized (
        select polled_since, workers_up_since, last_report_at, reported_submission_at, confirmed_read_up_to,
          ${readUpTo} as read_up_to_now,
          now() - make_interval(secs => $3) as waited_since
        from feedback_progress
        where mode = $1
      ), read_far_enough as materialized ( -- 2; while nothing is confirmed, as always for test mail, the first condition alone counts
        select case when confirmed_read_up_to < latest.ended_before then confirmed_read_up_to else latest.ended_before end
          as ended_before
        from progress
        cross join lateral (select read_up_to_now - make_interval(secs => $2) as ended_before) as latest
      ), evidence_against as materialized ( -- 3
        select case
          when read_far_enough.ended_before < progress.polled_since then null
          when exists (
            select
            from feedback_consumers consumer
            where consumer.mode = $1 and ${isCrashed("consumer")} and consumer.visible_again_at > read_far_enough.ended_before
          ) then null
          else read_far_enough.ended_before end as ended_before
        from progress, read_far_enough
      ), given_up as materialized ( -- 4
        select case
          when workers_up_since > waited_since then null
          when last_report_at > waited_since then least(reported_submission_at, waited_since)
          else waited_since end as ended_before
        from progress
      ), resolvable as materialized (
        select id
        from send_queue
        where mode = $1 and state = 'in-doubt' and due_at < (
          select greatest(evidence_against.ended_before, given_up.ended_before)
          from evidence_against, given_up
        )
        order by due_at
        limit $4
        for update skip locked
      )`;

const batchSize = 1_000;

/** in-doubt → ready: the send is submitted again. Serves all accounts. Returns the ids. */
export async function resendInDoubt(db: Queryable, mode: Mode, rule: InDoubtRule): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "resend-in-doubt",
    text: `
      with ${resolvable}
      update send_queue q
      set state = 'ready', due_at = null
      from resolvable
      where ${equalByIndex("q.id", "resolvable.id")}
      returning q.id`,
    values: [mode, rule.inDoubtSeconds, rule.inDoubtMaxSeconds, batchSize],
  });
  return rows.map((row) => row.id);
}

/** in-doubt → failed, which a later event still corrects. Serves all accounts. Returns the ids. */
export async function failInDoubt(db: Queryable, mode: Mode, rule: InDoubtRule): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: "fail-in-doubt",
    text: `
      with ${resolvable}, released as (
        delete from send_queue q
        using resolvable
        where ${equalByIndex("q.id", "resolvable.id")}
        returning q.id, ${uncountColumns}
      ), uncounted as (${uncountQueued("released")}
      ), ${watchedAccounts("send.failed", "released", { account: "queue_account_id", mode: "queue_mode" })}, moving as materialized (
        select released.id, released.queue_account_id, released.queue_mode
        from (select id, queue_account_id, queue_mode from released order by id) as released
        cross join lateral (
          select
          from sends s
          where s.id = released.id and s.status = 'queued'
          for update
        ) as locked
      ), failed as (
        update sends
        set status = 'failed', error_code = 'PROVIDER_OUTCOME_UNKNOWN',
            error_message = 'The provider did not report whether it accepted this send. Postern does not send it again.',
            ${numberNotification}
        from moving
        ${joinWatched("moving.queue_account_id", "moving.queue_mode")}
        where ${equalByIndex("sends.id", "moving.id")}
        returning sends.id, ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify("send.failed", "failed")}
      ), usage as (${countFailed("failed", "+")}
      )
      select id
      from failed`,
    values: [mode, rule.inDoubtSeconds, rule.inDoubtMaxSeconds, batchSize],
    changesSends: true,
  });
  return rows.map((row) => row.id);
}
