import type { Queryable } from "../db/database.ts";
import type { FailoverCause } from "./failover-store.ts";

/** The last time the database turned out to be an older copy of itself, or may be one. */
export interface LastFailover {
  cause: FailoverCause;
  noticedAt: string;
  noticedSecondsAgo: number;
  before: string | null;
  after: string;
  /** Of these sends nobody knew whether they had been handed over in what was lost. */
  markedInDoubt: number;
  /** Of them, those of which it is still not known; no more than were to be counted. */
  inDoubt: number;
  /** Some are still to be put in doubt, and nothing is claimed until then. */
  isSweeping: boolean;
}

/** Null when there was no change. */
export async function readLastFailover(db: Queryable, countedAtMost: number): Promise<LastFailover | null> {
  const [row] = await db.query<LastFailover>({
    name: "read-last-failover",
    text: `
      select c.cause, c.noticed_at as "noticedAt", extract(epoch from now() - c.noticed_at)::float8 as "noticedSecondsAgo",
        c.server_before as before, c.server_after as after, c.sends as markedInDoubt, c.swept_at is null as "isSweeping",
        (
          select count(*)
          from (
            select
            from send_queue q
            where q.state <> 'ready' and q.state = 'in-doubt' and q.mode = 'live' and q.due_at = c.in_doubt_since
            limit $1
          ) as first_ones
        ) as "inDoubt"
      from failovers c
      order by c.id desc
      limit 1`,
    values: [countedAtMost],
  });
  return row ?? null;
}
