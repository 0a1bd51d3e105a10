import type { Queryable } from "../db/database.ts";

/** Longer than any event of SES can be under way: SNS retries for 23 days, and the queue keeps a message for 14. */
export const attemptRetentionDays = 90;

const batchSize = 2_000;
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes the attempts of sends that were accepted, and whose attempts ended, `attemptRetentionDays` ago; the record of the
 * send stays. Keeps the attempts of a send that is still queued or in doubt. An id begins with its time, so a batch reads a
 * range of the primary key, from where the batch before it ended. Returns the number of deleted attempts.
 */
export async function dropOldAttempts(db: Queryable, maxMs: number): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let rows = 0;
  for (let from: string | null = firstId; from !== null && performance.now() < endsAt; ) {
    const batch = await dropBatch(db, from);
    rows += batch.rows;
    from = batch.last;
  }
  return rows;
}

async function dropBatch(db: Queryable, from: string): Promise<{ rows: number; last: string | null }> {
  const [batch] = await db.query<{ rows: number; last: string | null }>({
    name: "drop-old-attempts",
    text: `
      with old as materialized (
        select send_id, attempt
        from send_attempts a
        where send_id >= $1
          and send_id < first_id_at(now() - make_interval(days => $2))
          and ended_at < now() - make_interval(days => $2)
          and not exists (select from send_queue q where q.id = a.send_id)
          and not (select keeps_rows_of_moves())
        order by send_id, attempt
        limit $3
      ), deleted as (
        delete from send_attempts a
        using old
        where a.send_id = old.send_id and a.attempt = old.attempt
        returning a.send_id
      )
      select count(*) as rows, max(send_id::text) as last
      from deleted`,
    values: [from, attemptRetentionDays, batchSize],
  });
  return batch ?? { rows: 0, last: null };
}
