import type { Queryable } from "../db/database.ts";
import { isWithin } from "../db/time-check.ts";
import { freshSeconds } from "./process-store.ts";

/** The last run of a chore that a living worker runs. */
export interface ChoreAge {
  name: string;
  /** Null when it has not run since the table was made. */
  endedSecondsAgo: number | null;
  failedRuns: number;
}

/** The chores of the living workers. */
const running = `
        select chore.name, max(chore.pause_seconds::float8) as pause_seconds, min(processes.alive_since) as since
        from processes
        cross join jsonb_each_text(processes.chores) as chore (name, pause_seconds)
        where processes.stopped_at is null and ${isWithin("processes.seen_at", String(freshSeconds))}
        group by chore.name`;

export async function listChoreAges(db: Queryable): Promise<ChoreAge[]> {
  return db.query<ChoreAge>({
    name: "list-chore-ages",
    text: `
      with running as (${running}
      )
      select name, extract(epoch from now() - ended_at)::float8 as "endedSecondsAgo", coalesce(failed_runs, 0) as "failedRuns"
      from running
      left join chores using (name)
      order by name`,
  });
}

export interface FailingChore {
  name: string;
  failingSeconds: number;
  /** Its last run hangs, or nobody starts the next one. Otherwise its last runs failed. */
  isOverdue: boolean;
}

/** One failure can be an interruption; the chore is repeated within a minute. */
const minFailedRuns = 2;
/** A run that takes longer than 10 minutes is given up, and another one starts within a minute (loops/chores.ts). */
const longestRunSeconds = 660;

/**
 * Only chores that a living worker runs: an older or newer version may have others. The time without a worker, and without a database,
 * does not count as overdue.
 */
export async function listFailingChores(db: Queryable): Promise<FailingChore[]> {
  return db.query<FailingChore>({
    name: "list-failing-chores",
    text: `
      with running as (${running}
      ), judged as (
        select name, failed_runs, failing_since, coalesce(ended_at, since) as ended_at,
          now() - greatest(ended_at, since) > make_interval(secs => pause_seconds + $1) as "isOverdue"
        from running
        left join chores using (name)
      )
      select name, "isOverdue",
        extract(epoch from now() - case when "isOverdue" then ended_at else failing_since end)::float8 as "failingSeconds"
      from judged
      where "isOverdue" or failed_runs >= $2
      order by name`,
    values: [longestRunSeconds, minFailedRuns],
  });
}
