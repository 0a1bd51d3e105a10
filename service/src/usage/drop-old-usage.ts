import type { Queryable } from "../db/database.ts";

/** Long enough to compare a month with the same month of the year before. */
export const usageRetentionDays = 400;

const batchSize = 2_000;
const tables = ["usage_hours", "usage_key_hours", "usage_refusals"] as const;

/** Deletes hours older than the retention, in batches, at most so long. Returns the number of rows. */
export async function dropOldUsage(db: Queryable, maxMs: number): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let deleted = 0;
  for (const table of tables) {
    for (let last = batchSize; last === batchSize && performance.now() < endsAt; deleted += last) {
      last = (await deleteSome(db, table)).length;
    }
  }
  return deleted;
}

function deleteSome(db: Queryable, table: (typeof tables)[number]) {
  return db.query({
    name: `drop-old-${table}`,
    text: `
      delete from ${table}
      where ctid = any (array(
        select ctid
        from ${table}
        where hour < now() - make_interval(days => $1)
        limit $2
        for update skip locked
      ))
      returning hour`,
    values: [usageRetentionDays, batchSize],
    isPlannedEachTime: true,
  });
}
