import type { Queryable } from "../db/database.ts";

/** Long enough to compare a month with the same month of the year before. */
export const usageRetentionDays = 400;

const batchSize = 2_000;
/** The column that says how old a row is, and for how many days it stays. A month must not go before its last day. */
const tables = [
  { table: "usage_hours", column: "hour", days: usageRetentionDays },
  { table: "usage_key_hours", column: "hour", days: usageRetentionDays },
  { table: "usage_refusals", column: "hour", days: usageRetentionDays },
  { table: "usage_tag_days", column: "day", days: usageRetentionDays },
  { table: "usage_tags", column: "month", days: usageRetentionDays + 31 },
] as const;

/** Deletes hours, days and months older than the retention, in batches, at most so long. Returns the number of rows. */
export async function dropOldUsage(db: Queryable, maxMs: number): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let deleted = 0;
  for (const one of tables) {
    for (let last = batchSize; last === batchSize && performance.now() < endsAt; deleted += last) {
      last = (await deleteSome(db, one)).length;
    }
  }
  return deleted;
}

function deleteSome(db: Queryable, { table, column, days }: (typeof tables)[number]) {
  return db.query({
    name: `drop-old-${table}`,
    text: `
      delete from ${table}
      where ctid = any (array(
        select ctid
        from ${table}
        where ${column} < now() - make_interval(days => $1)
        limit $2
        for update skip locked
      ))
      returning ${column}`,
    values: [days, batchSize],
    isPlannedEachTime: true,
  });
}
