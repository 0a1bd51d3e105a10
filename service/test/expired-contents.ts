import type { Database, Queryable } from "../src/db/database.ts";
import { dropOldContents } from "../src/storage/old-contents.ts";
import { inDays, value } from "./partitioned-database.ts";

/** A time at which the retention of everything stored today is over, and that of its week too. */
export const afterRetention = inDays(60);

export function dropToday(db: Database) {
  return dropOldContents(db, 30, afterRetention);
}

/** Makes the copies old enough to count. */
export async function ageCopies(db: Database): Promise<void> {
  await value(db, "update kept_contents set kept_at = kept_at - interval '2 minutes'");
}

/** The partition of contents that are stored now. */
export async function weekOfToday(db: Database): Promise<unknown> {
  return value(
    db,
    "select name from partition_ranges where parent = 'send_contents' and starts_at <= now() and now() < ends_at",
  );
}

export async function isDropped(db: Queryable, partition: unknown): Promise<boolean> {
  return (await value(db, `select to_regclass('${String(partition)}')`)) === null;
}

export async function countKept(db: Database): Promise<unknown> {
  return value(db, "select count(*) from kept_contents");
}
