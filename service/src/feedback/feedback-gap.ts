import type { Queryable } from "../db/database.ts";
import type { Mode } from "../mode.ts";

/** Whether feedback that should arrive is missing: for the alarm, the metrics and `postern status`. */
export interface FeedbackState {
  /** Seconds since the provider last reported a submission, and since a consumer last received; null for never. */
  lastReportSecondsAgo: number | null;
  polledSecondsAgo: number | null;
  /** no-reports: a submission is older than FEEDBACK_GAP_SECONDS, and nothing was reported since. Null: nothing is missing. */
  gap: "no-reports" | "not-polled" | null;
  /** For how long the alarm has been on; null when it is off. */
  gapSeconds: number | null;
  /** As counted at the queue of the provider every 30 s; null when unknown. */
  queuedMessages: number | null;
  inFlightMessages: number | null;
  deadLetters: number | null;
}

export const unknownFeedbackState: FeedbackState = {
  lastReportSecondsAgo: null,
  polledSecondsAgo: null,
  gap: null,
  gapSeconds: null,
  queuedMessages: null,
  inFlightMessages: null,
  deadLetters: null,
};

const maxSendsRead = 5_000;

/** Reads the newest 5,000 sends that are older than the gap, however many are stored. */
export async function readFeedbackState(
  db: Queryable,
  mode: Mode,
  { feedbackGapSeconds, hasFeedbackQueue }: { feedbackGapSeconds: number; hasFeedbackQueue: boolean },
): Promise<FeedbackState> {
  const [row] = await db.query<FeedbackState>({
    name: "read-feedback-state",
    text: `
      select extract(epoch from now() - last_report_at)::float8 as "lastReportSecondsAgo",
        extract(epoch from now() - polled_at)::float8 as "polledSecondsAgo",
        extract(epoch from now() - gap_since)::float8 as "gapSeconds",
        queued_messages as "queuedMessages", in_flight_messages as "inFlightMessages", dead_letters as "deadLetters",
        case
          when $3::boolean and polled_at < now() - make_interval(secs => $2) then 'not-polled'
          when exists (
            select
            from (
              select mode, sent_at
              from sends
              where id < first_id_at(now() - make_interval(secs => $2))
                and id > first_id_at(now() - interval '1 day' - make_interval(secs => $2))
              order by id desc
              limit $4
            ) as latest
            where latest.mode = $1
              and latest.sent_at < now() - make_interval(secs => $2)
              and latest.sent_at > coalesce(last_report_at, '-infinity')
          ) then 'no-reports' end as gap
      from feedback_progress
      where mode = $1`,
    values: [mode, feedbackGapSeconds, hasFeedbackQueue, maxSendsRead],
    isPlannedEachTime: true,
  });
  return row ?? unknownFeedbackState;
}

/** Stores whether the alarm is on. Returns true to the one caller that changed it. */
export async function noteFeedbackGap(db: Queryable, mode: Mode, isOpen: boolean): Promise<boolean> {
  const rows = await db.query({
    name: "note-feedback-gap",
    text: `
      update feedback_progress
      set gap_since = case when $2::boolean then now() end
      where mode = $1
        and (gap_since is not null) is distinct from $2::boolean
      returning mode`,
    values: [mode, isOpen],
  });
  return rows.length > 0;
}
