import type { Queryable } from "../db/database.ts";
import { untilNone } from "./partitions.ts";

export const webhookRetentionDays = 30;

/** Attempts first: a delivery without attempts is complete, an attempt without its delivery is not. */
const tables = ["webhook_attempts", "webhook_deliveries", "notifications"] as const;

/** Drops the weeks of notifications, deliveries and attempts whose retention is over, each in its own transaction, and returns their names. */
export async function dropOldWebhooks(db: Queryable, at?: string): Promise<string[]> {
  const dropped: string[] = [];
  for (const table of tables) {
    for await (const name of untilNone(() => dropOldest(db, table, at))) dropped.push(name);
  }
  return dropped;
}

async function dropOldest(db: Queryable, table: (typeof tables)[number], at: string | undefined) {
  const [row] = await db.query<{ name: string | null }>({
    name: "drop-oldest-webhooks",
    text: `
      select drop_oldest_webhooks($1, $2, coalesce($3::timestamptz, now())) as name`,
    values: [table, webhookRetentionDays, at],
  });
  return row?.name;
}
