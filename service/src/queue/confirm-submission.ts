import type { Queryable } from "../db/database.ts";
import { requireAccountsHere } from "../db/require-accounts-here.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import { countFailed, failedColumns } from "../usage/count-deltas.ts";
import { joinWatched, notifiedColumns, notify, numberNotification, watchedAccounts } from "../webhooks/notify-sends.ts";
import { uncountColumns, uncountQueued } from "./queued-recipients.ts";

/** Evidence that the provider accepted this attempt: its answer, or an event with our tags. */
export interface SubmissionEvidence {
  sendId: string;
  attempt: number;
  providerMessageId: string;
  /** When the provider accepted it; undefined means now. */
  at: string | undefined;
}

export interface Confirmation {
  /** This evidence moved the send to `sent`. */
  hasMoved: boolean;
  /** The mails of two attempts went out. Reported once for each extra attempt. */
  isDoubled: boolean;
  /** The queue has not seen this attempt yet: the database is an older copy. */
  isAhead: boolean;
}

const nothing: Confirmation = { hasMoved: false, isDoubled: false, isAhead: false };

/**
 * Evidence wins: the send leaves the queue, whatever its state and attempt, and becomes `sent`, even from `failed` or `suppressed`.
 * The same evidence again changes nothing. Serves all accounts; see `requireAccountsHere`.
 */
export async function confirmSubmissions(db: Queryable, evidence: SubmissionEvidence[]): Promise<Confirmation[]> {
  const answers = new Map<SubmissionEvidence, Confirmation>();
  for (const round of roundsOf(evidence)) {
    const rows = await confirmRound(db, round);
    const found = new Map(rows.map(({ sendId, ...confirmation }) => [sendId, confirmation]));
    for (const one of round) answers.set(one, found.get(one.sendId) ?? nothing);
  }
  return evidence.map((one) => answers.get(one) ?? nothing);
}

/** Two attempts of one send are confirmed one after the other, because the second must see the effect of the first. */
function roundsOf(evidence: SubmissionEvidence[]): SubmissionEvidence[][] {
  const rounds: Map<string, SubmissionEvidence>[] = [];
  for (const one of evidence) {
    const free = rounds.find((round) => !round.has(one.sendId));
    if (free === undefined) rounds.push(new Map([[one.sendId, one]]));
    else free.set(one.sendId, one);
  }
  return rounds.map((round) => [...round.values()]);
}

function confirmRound(db: Queryable, evidence: SubmissionEvidence[]): Promise<(Confirmation & { sendId: string })[]> {
  return db.query({
    name: "confirm-submissions",
    text: `
      with evidence as materialized (
        select id, attempt, provider_message_id, coalesce(at, now()) as at
        from unnest($1::uuid[], $2::integer[], $3::text[], $4::timestamptz[]) as given (id, attempt, provider_message_id, at)
        order by id
      ), locked_rows as materialized (
        select evidence.id
        from evidence
        cross join lateral (
          select
          from send_queue q
          where q.id = evidence.id
          for update
        ) as locked
      ), released as (
        delete from send_queue q
        using locked_rows
        where ${equalByIndex("q.id", "locked_rows.id")}
        returning q.id, q.attempt, ${uncountColumns}
      ), uncounted as (${uncountQueued("released")}
      ), known as materialized (
        select evidence.id, evidence.attempt, evidence.provider_message_id, evidence.at, evidence.is_ahead, s.status,
          s.provider_message_id as known_as, s.account_id, s.mode
        from (
          select evidence.id, evidence.attempt, evidence.provider_message_id, evidence.at,
            coalesce(evidence.attempt > released.attempt, false) as is_ahead
          from evidence
          left join released on released.id = evidence.id
          order by evidence.id
        ) as evidence
        cross join lateral (
          select s.status, s.provider_message_id, s.account_id, s.mode
          from sends s
          where s.id = evidence.id
          for update
        ) as s
      ), recorded as (
        insert into send_attempts as a (send_id, attempt, started_at, outcome, provider_message_id)
        select id, attempt, at, 'accepted', provider_message_id
        from known
        where known_as is distinct from provider_message_id
        order by id
        on conflict (send_id, attempt) do update
        set outcome = 'accepted', provider_message_id = excluded.provider_message_id, ended_at = now(), detail = null
        where a.outcome <> 'accepted'
        returning send_id
      ), ${watchedAccounts("send.sent", "known")}, moved as (
        update sends
        set status = 'sent', sent_at = known.at, provider_message_id = known.provider_message_id,
            error_code = null, error_message = null, ${numberNotification}
        from known
        ${joinWatched("known.account_id", "known.mode")}
        where ${equalByIndex("sends.id", "known.id")}
          and known.known_as is null
          and known.status in ('queued', 'failed', 'suppressed')
        returning sends.id, known.status, ${notifiedColumns}, ${failedColumns}
      ), notified as (${notify("send.sent", "moved")}
      ), corrected as materialized (
        select account_id, mode, hour, domain, recipients, tags
        from moved
        where status = 'failed'
      ), usage as (${countFailed("corrected", "-")}
      )
      select known.id as "sendId", known.id in (select id from moved) as "hasMoved",
        known.known_as is not null and known.id in (select send_id from recorded) as "isDoubled",
        known.is_ahead as "isAhead"
      from known
      where ${requireAccountsHere("known")}`,
    values: [
      evidence.map(({ sendId }) => sendId),
      evidence.map(({ attempt }) => attempt),
      evidence.map(({ providerMessageId }) => providerMessageId),
      evidence.map(({ at = null }) => at),
    ],
    changesSends: true,
  });
}
