import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import type { Mode } from "../mode.ts";
import { gapSeconds } from "./consumer-store.ts";

/** How far the provider's events have been read. `resolve-in-doubt.ts` decides with it what the absence of an event proves. */

/**
 * SQL over `feedback_progress`: consumers have read all events up to this time; null when nothing is known. An empty queue counts
 * only while SES reports submissions at all.
 */
export const readUpTo = `(
        select case when latest > now() then now() else latest end
        from greatest(
          reported_submission_at,
          case when last_report_at > now() - interval '24 hours' then queue_empty_at end
        ) as latest)`;

/** The provider reported submissions; `latestAt` is the submission time of the latest one. */
export async function noteReportedSubmissions(db: Queryable, mode: Mode, latestAt: string): Promise<void> {
  await db.query({
    name: "note-reported-submissions",
    text: `
      update feedback_progress
      set last_report_at = now(),
        reported_submission_at = greatest(reported_submission_at, least($2::timestamptz, now()))
      where mode = $1`,
    values: [mode, latestAt],
  });
}

const noteEverySeconds = 2;
/** Longer than it takes to count a consumer as crashed (`crashedAfterSeconds`). */
const confirmAfterSeconds = 15;

/**
 * A worker is running. Workers note it before they resolve sends in doubt: after a pause of all workers, consumers must first read
 * the events that arrived in the pause. Every 15 seconds the statement also makes the noted progress the
 * confirmed one (`read_up_to` to `confirmed_read_up_to`) and notes the current one.
 */
export async function noteWorkersUp(db: Queryable, mode: Mode): Promise<void> {
  await db.query({
    name: "note-workers-up",
    text: `
      update feedback_progress
      set workers_up_at = now(),
        workers_up_since = case when ${isWithin("workers_up_at", "$2")} then workers_up_since else now() end,
        (confirmed_read_up_to, read_up_to, read_up_to_noted_at) = (
          select case when is_due then read_up_to else confirmed_read_up_to end,
            case when is_due then ${readUpTo} else read_up_to end,
            case when is_due then now() else read_up_to_noted_at end
          from coalesce(not (${isWithin("read_up_to_noted_at", "$4")}), true) as is_due)
      where mode = $1
        and coalesce(not (${isWithin("workers_up_at", "$3")}), true)`,
    values: [mode, gapSeconds, noteEverySeconds, confirmAfterSeconds],
  });
}
