import type { Queryable } from "../db/database.ts";
import { untilNone } from "./partitions.ts";

/** Drops the days of the request log that ended 7 days ago, each in its own transaction, and returns their names. */
export async function dropOldRequests(db: Queryable, at?: string): Promise<string[]> {
  const dropped: string[] = [];
  for await (const name of untilNone(() => dropOldest(db, at))) dropped.push(name);
  return dropped;
}

async function dropOldest(db: Queryable, at: string | undefined) {
  const [row] = await db.query<{ name: string | null }>({
    name: "drop-oldest-requests",
    text: `
      select drop_oldest_requests(coalesce($1::timestamptz, now())) as name`,
    values: [at],
  });
  return row?.name;
}
