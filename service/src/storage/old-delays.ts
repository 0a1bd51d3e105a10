import type { Queryable } from "../db/database.ts";
import { attemptRetentionDays } from "./old-attempts.ts";

const batchSize = 2_000;

/**
 * Deletes delays of deliveries that are as old as attempts may become; the outcome of the mail is in its events. An id begins with its
 * time, so a batch reads the lowest end of the primary key. Stops after `maxMs`. Returns the number.
 */
export async function dropOldDelays(db: Queryable, maxMs: number): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let deleted = 0;
  for (let last = batchSize; last === batchSize && performance.now() < endsAt; deleted += last) {
    last = (await deleteSome(db)).length;
  }
  return deleted;
}

function deleteSome(db: Queryable) {
  return db.query({
    name: "drop-old-delays",
    text: `
      with old as materialized (
        select id
        from delivery_delays
        where id < first_id_at(now() - make_interval(days => $1))
        order by id
        limit $2
      )
      delete from delivery_delays d
      using old
      where d.id = old.id
      returning d.id`,
    values: [attemptRetentionDays, batchSize],
  });
}
