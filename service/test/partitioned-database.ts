import { randomUUID } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import type { Database, Queryable } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import type { PartitionedTable } from "../src/storage/partitions.ts";
import { createEmptyDatabase, openTestDatabase } from "./template-database.ts";

type Source = (serverUrl: string) => Promise<{ url: string; drop: () => Promise<void> }>;

/** Each test gets its own database, because it would otherwise find the partitions of an earlier test. */
export async function aDatabase(from: Source): Promise<{ db: Database; url: string }> {
  const { url, drop } = await from(inject("serverUrl"));
  onTestFinished(drop);
  return { url, db: aConnection(url) };
}

/** A migrated database with only the default partitions. */
export async function anEmptySchema(serverUrl: string) {
  const database = await createEmptyDatabase(serverUrl);
  await migrate(database.url, () => undefined);
  return database;
}

export function aConnection(url: string): Database {
  const db = openTestDatabase(url);
  onTestFinished(() => db.close());
  return db;
}

/** The single value that a statement returns. */
export async function value(db: Queryable, text: string): Promise<unknown> {
  const [row] = await db.query<Record<string, unknown>>({ name: randomUUID(), text });
  return Object.values(row ?? {})[0];
}

/** An insert of one row for each hour from `from` to `to`, both included. */
export function storeEveryHour(table: PartitionedTable, from: string, to: string): string {
  const columns = {
    sends: [
      "account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject",
      `gen_random_uuid(), 'live', 'queued', 'a@b.test', '{c@d.test}'::text[], 1, 0, 'Hello'`,
    ],
    send_contents: ["sealed", `'\\x00'::bytea`],
    attachment_chunks: ["part, number, sealed", `0, 0, '\\x00'::bytea`],
    events: [
      "send_id, account_id, mode, event_type, event_at, recipient",
      `gen_random_uuid(), gen_random_uuid(), 'live', 'Delivery', now(), 'c@d.test'`,
    ],
    audit_entries: ["account_id, actor_kind, action, target_kind", "gen_random_uuid(), 'system', 'log-in', 'user'"],
    notifications: [
      "public_id, account_id, mode, type, occurred_at, envelope",
      `gen_random_uuid(), gen_random_uuid(), 'live', 'send.sent', now(), '{}'`,
    ],
    webhook_deliveries: [
      "account_id, endpoint_id, notification_id, public_id, type",
      "gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'send.sent'",
    ],
    webhook_attempts: [
      "delivery_id, account_id, endpoint_id, attempt, status",
      "gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 200",
    ],
    logged_requests: [
      "account_id, mode, method, route, status, request_id",
      "gen_random_uuid(), 'live', 'GET', '/api/v1/sends', 404, 'one'",
    ],
  }[table];
  return `
    insert into ${table} (id, ${columns[0]})
    select first_id_at(moment), ${columns[1]}
    from generate_series(${from}, ${to}, interval '1 hour') as moment
    returning id, tableoid::regclass::text as partition`;
}

export function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}
