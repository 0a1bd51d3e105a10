import type { Queryable } from "../db/database.ts";
import type { Mode } from "../sends/send-request.ts";

/** What the silence about a send in doubt is measured by; `in-doubt.ts` reads it. */

/** The provider told of hand-overs, the latest of them at this time. */
export async function noteReportedSubmissions(db: Queryable, mode: Mode, latestAt: string): Promise<void> {
  await db.query({
    name: "note-reported-submissions",
    text: `
      update feedback_progress
      set last_report_at = now(), reported_submission_at = greatest(reported_submission_at, least($2::timestamptz, now()))
      where mode = $1`,
    values: [mode, latestAt],
  });
}

export interface FeedbackState {
  /** Seconds since the provider last told of a hand-over, and since its queue was last asked; null for never. */
  lastReportSecondsAgo: number | null;
  polledSecondsAgo: number | null;
  /** not-told: something was handed over longer ago than the gap, and nothing was told since. Null: nothing is missing. */
  silence: "not-told" | "not-polled" | null;
  /** For how long the alarm has been on; null when it is off. */
  gapSeconds: number | null;
}

const lookedAtMost = 5_000;

/** Looks at some thousand sends, the newest that are older than the gap, whatever is stored. */
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
          ) then 'not-told' end as silence
      from feedback_progress
      where mode = $1`,
    values: [mode, feedbackGapSeconds, hasFeedbackQueue, lookedAtMost],
    isPlannedEachTime: true,
  });
  return row ?? { lastReportSecondsAgo: null, polledSecondsAgo: null, silence: null, gapSeconds: null };
}

/** Remembers whether the alarm is on. Returns true to the one who changed it. */
export async function noteFeedbackGap(db: Queryable, mode: Mode, isSilent: boolean): Promise<boolean> {
  const rows = await db.query({
    name: "note-feedback-gap",
    text: `
      update feedback_progress
      set gap_since = case when $2::boolean then now() end
      where mode = $1
        and (gap_since is not null) is distinct from $2::boolean
      returning mode`,
    values: [mode, isSilent],
  });
  return rows.length > 0;
}
