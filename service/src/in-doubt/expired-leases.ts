import type { Queryable } from "../db/database.ts";
import { equalByIndex } from "../db/stable-plan.ts";
import type { Mode } from "../mode.ts";

const batchSize = 1_000;

/**
 * leased → in-doubt: the worker crashed, hangs or has lost the database, and nobody knows what it did. It may have submitted the
 * send until the lease ended, so `due_at` stays at the end of the lease and the wait for evidence starts there. Serves all
 * accounts. Returns the number of sends.
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
        where ${equalByIndex("q.id", "expired.id")}
        returning q.id, q.attempt, q.attempted_at
      )
      insert into send_attempts (send_id, attempt, started_at, outcome, detail)
      select id, attempt, attempted_at, 'unknown', 'the lease expired'
      from moved
      order by id
      on conflict (send_id, attempt) do update set ended_at = now()
      returning send_id`,
    values: [mode, batchSize],
  });
  return rows.length;
}
