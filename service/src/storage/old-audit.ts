import type { Queryable } from "../db/database.ts";
import { untilNone } from "./partitions.ts";

/** Drops the months of audit entries whose retention is over, each in its own transaction, and returns their names. */
export async function dropOldAudit(db: Queryable, retentionDays: number, at?: string): Promise<string[]> {
  const dropped: string[] = [];
  for await (const name of untilNone(() => dropOldestAudit(db, retentionDays, at))) dropped.push(name);
  return dropped;
}

async function dropOldestAudit(db: Queryable, retentionDays: number, at: string | undefined) {
  const [row] = await db.query<{ name: string | null }>({
    name: "drop-oldest-audit",
    text: `
      select drop_oldest_audit($1, coalesce($2::timestamptz, now())) as name`,
    values: [retentionDays, at],
  });
  return row?.name;
}
