import type { Database } from "../../../service/src/db/database.ts";

/** The rows that sequential scans have read of each table that grows with the account, since the server started. */
export async function readScans(db: Database): Promise<Map<string, number>> {
  const rows = await db.query<{ name: string; rows: number }>({
    name: "read-scans",
    text: `
      select relname as name, seq_tup_read::float8 as rows
      from pg_stat_user_tables
      where relname ~ '^(sends|events)_\\d' or relname in ('send_searches', 'suppressions', 'usage_hours', 'usage_key_hours')`,
  });
  return new Map(rows.map(({ name, rows: read }) => [name, read]));
}
