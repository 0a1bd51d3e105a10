import type { Queryable } from "../db/database.ts";
import type { FailoverCause } from "./failover-store.ts";

/** The last time the database was, or may have been, replaced by an older copy of itself. */
export interface LastFailover {
  cause: FailoverCause;
  noticedAt: string;
  noticedSecondsAgo: number;
  before: string | null;
  after: string;
  /** How many sends the sweep has marked as in doubt. */
  markedInDoubt: number;
  /** How many of them are still in doubt, counted up to the given bound. */
  inDoubt: number;
  /** The sweep is not finished, and workers claim nothing until it is. */
  isSweeping: boolean;
}

export type PastFailover = Omit<LastFailover, "inDoubt" | "noticedSecondsAgo">;

/** The newest ten. */
export async function listFailovers(db: Queryable): Promise<PastFailover[]> {
  return db.query<PastFailover>({
    name: "list-failovers",
    text: `
      select cause, noticed_at as "noticedAt", server_before as before, server_after as after, sends as "markedInDoubt",
        swept_at is null as "isSweeping"
      from failovers
      order by id desc
      limit 10`,
  });
}

/** Null when there was no failover. */
export async function readLastFailover(db: Queryable, countedAtMost: number): Promise<LastFailover | null> {
  const [row] = await db.query<LastFailover>({
    name: "read-last-failover",
    text: `
      select f.cause, f.noticed_at as "noticedAt", extract(epoch from now() - f.noticed_at)::float8 as "noticedSecondsAgo",
        f.server_before as before, f.server_after as after, f.sends as "markedInDoubt", f.swept_at is null as "isSweeping",
        (
          select count(*)
          from (
            select
            from send_queue q
            -- The comparison with 'ready' lets PostgreSQL use the partial index.
            where q.state <> 'ready' and q.state = 'in-doubt' and q.mode = 'live' and q.due_at = f.in_doubt_since
            limit $1
          ) as first_ones
        ) as "inDoubt"
      from failovers f
      order by f.id desc
      limit 1`,
    values: [countedAtMost],
  });
  return row ?? null;
}
