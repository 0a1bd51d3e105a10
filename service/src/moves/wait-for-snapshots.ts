import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";

/** A session that may still read, or write, as if a commit had not been made. */
export interface OlderSession {
  pid: number;
  /** The application_name. */
  name: string;
  /** Of its transaction. */
  ageSeconds: number;
}

const pollMs = 50;

/**
 * Waits until every session reads in a snapshot that has the commit of `transaction`, which was made before this call. A session is older when both are true:
 *
 * 1. Its backend_xmin is no later than the transaction, as that of every snapshot from before the commit, or its backend_xid: it wrote, and has not ended.
 * 2. Its transaction began before this call. Alone, the first condition would hold for every session while any older transaction of the server is open, also of
 *    another database.
 *
 * Returns the sessions that are left after `maxMs`, and none when all have passed. PostgreSQL hides the sessions of other users from a user
 * without `pg_read_all_stats`; the processes of a cell share one.
 */
export async function waitForSnapshots(db: Queryable, transaction: string, maxMs: number): Promise<OlderSession[]> {
  const [clock] = await db.query<{ now: string }>({
    name: "now-for-snapshots",
    text: "select clock_timestamp()::text as now",
  });
  if (clock === undefined) throw new Error("the database returned no time");
  for (const until = performance.now() + maxMs; ; await sleep(pollMs)) {
    const left = await listOlderSessions(db, transaction, clock.now);
    if (left.length === 0 || performance.now() >= until) return left;
  }
}

/** A transaction of the future began before the clock was set back. */
function listOlderSessions(db: Queryable, transaction: string, calledAt: string): Promise<OlderSession[]> {
  return db.query<OlderSession>({
    name: "list-older-sessions",
    text: `
      select a.pid, a.application_name as name,
        coalesce(extract(epoch from clock_timestamp() - a.xact_start), 0)::float8 as "ageSeconds"
      from pg_stat_activity a
      where a.datname = current_database()
        and a.pid <> pg_backend_pid()
        and a.backend_type = 'client backend'
        and greatest(age(a.backend_xid), age(a.backend_xmin)) >= age($1::xid)
        and coalesce(a.xact_start <= $2::timestamptz or a.xact_start > clock_timestamp(), true)
      order by a.xact_start, a.pid
      limit 20`,
    values: [transaction, calledAt],
  });
}
