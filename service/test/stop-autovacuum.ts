import type { Database } from "../src/db/database.ts";
import { change } from "./send-rows.ts";

/** Without autovacuum, the statistics of a partitioned table change only where a test runs `analyze`. */
export async function stopAutovacuum(
  db: Database,
  table:
    | "events"
    | "sends"
    | "audit_entries"
    | "notifications"
    | "webhook_deliveries"
    | "webhook_attempts"
    | "logged_requests",
): Promise<void> {
  const partitions = await change(
    db,
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass`,
  );
  for (const { name } of partitions) await change(db, `alter table ${String(name)} set (autovacuum_enabled = false)`);
}
