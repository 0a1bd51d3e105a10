import type pg from "pg";
import { migrate } from "../../service/src/db/migrate.ts";
import { webhookRetentionDays } from "../../service/src/storage/old-webhooks.ts";
import { makePartitionsAhead, type PartitionedTable } from "../../service/src/storage/partitions.ts";
import { createEmptyDatabase, openTestDatabase } from "../../service/test/template-database.ts";
import { copyRows, withClient } from "./copy-rows.ts";
import { type Dataset, type DatasetSize, describeDataset, firstIdAt } from "./dataset.ts";
import { deriveRows } from "./derived-rows.ts";
import * as rows from "./stored-rows.ts";
import { monthsUntil, startOfWeek, type TimeRange, weekMs, weeksAhead, weeksUntil } from "./time-ranges.ts";

export interface LoadedDataset extends Dataset {
  /** The name of its database. */
  database: string;
}

const months = 24;
/** 200 attached partitions, including the default partition. */
const mostRanges = 199;
export const retentionDays = 30;
const hourMs = 3_600_000;

/**
 * Creates a database as after years of sending: the real tables, filled by COPY. It includes `droppedWeeks` weeks of content
 * that are past the retention time. Partitions are filled before they are attached, because attaching builds their indexes.
 */
export async function loadDataset(serverUrl: string, size: DatasetSize, droppedWeeks: number): Promise<LoadedDataset> {
  const nowMs = Date.now();
  const ranges =
    size.partitions === "months" ? monthsUntil(nowMs, months + 1) : weeksUntil(nowMs, mostRanges - weeksAhead(nowMs));
  const dataset = describeDataset(size, ranges[0]?.fromMs ?? nowMs, nowMs - hourMs);
  const { url } = await createEmptyDatabase(serverUrl);
  await migrate(url, () => undefined);
  await Promise.all([
    withClient(url, (client) => fill(client, dataset)),
    withClient(url, (client) => fillPartitions(client, "sends", ranges, dataset)),
    withClient(url, (client) => fillPartitions(client, "events", ranges, dataset)),
  ]);
  await withClient(url, (client) =>
    fillPartitions(client, "send_contents", contentWeeks(nowMs, droppedWeeks), dataset),
  );
  await withClient(url, (client) => deriveRows(client, weeksSince(nowMs, webhookRetentionDays)));
  await finish(url, dataset);
  return { ...dataset, database: new URL(url).pathname };
}

/** The weeks within the retention time, and `droppedWeeks` older ones. */
function contentWeeks(nowMs: number, droppedWeeks: number): TimeRange[] {
  return weeksSince(nowMs, retentionDays + droppedWeeks * 7);
}

function weeksSince(nowMs: number, days: number): TimeRange[] {
  const oldest = startOfWeek(nowMs - days * 24 * hourMs);
  return weeksUntil(nowMs, (startOfWeek(nowMs) - oldest) / weekMs + 1);
}

async function fill(client: pg.Client, dataset: Dataset): Promise<void> {
  // Triggers and foreign keys are off: the generated rows are consistent, and `finish` counts the lists.
  await client.query("set session_replication_role = replica");
  const copy = (table: string, columns: string, lines: Iterable<string>) =>
    copyRows(client, `copy ${table} (${columns}) from stdin`, lines);
  await copy("accounts", rows.accountColumns, rows.accountLines(dataset));
  await copy("api_keys", rows.keyColumns, rows.keyLines(dataset));
  await copy("domains", rows.domainColumns, rows.domainLines(dataset));
  await copy("rate_windows", rows.windowColumns, rows.windowLines(dataset));
  await copy("suppressions", rows.suppressionColumns, rows.suppressionLines(dataset));
  // The keys are in random order; building the index afterwards is faster than updating it row by row.
  await client.query("alter table idempotency_keys drop constraint idempotency_keys_pkey");
  await copy("idempotency_keys", rows.idempotencyColumns, rows.idempotencyLines(dataset));
  await client.query("alter table idempotency_keys add primary key (key_hash)");
}

/** The audit grows with management actions and not with sends. `derived-rows.ts` stores webhooks. */
type LoadedTable = Extract<PartitionedTable, "sends" | "events" | "send_contents">;

const partitioned: Record<LoadedTable, [columns: string, (dataset: Dataset, range: TimeRange) => Iterable<string>]> = {
  sends: [rows.sendColumns, rows.sendLines],
  events: [rows.eventColumns, rows.eventLines],
  send_contents: [rows.contentColumns, rows.contentLines],
};

async function fillPartitions(client: pg.Client, table: LoadedTable, ranges: TimeRange[], dataset: Dataset) {
  const [columns, linesOf] = partitioned[table];
  for (const range of ranges) {
    const name = `${table}_${range.suffix}`;
    await client.query("begin");
    await client.query(`create table ${name} (like ${table} including all excluding indexes)`);
    if (table === "send_contents") await client.query(`alter table ${name} set (toast_tuple_target = 8160)`);
    await copyRows(client, `copy ${name} (${columns}) from stdin (freeze)`, linesOf(dataset, range));
    await client.query(
      `alter table ${table} attach partition ${name}
       for values from ('${firstIdAt(range.fromMs)}') to ('${firstIdAt(range.toMs)}')`,
    );
    await client.query("commit");
  }
}

async function finish(url: string, { partitions }: Dataset): Promise<void> {
  const db = openTestDatabase(url);
  const { failures } = await makePartitionsAhead(db, partitions === "months" ? "month" : "week");
  await db.close();
  if (failures.length > 0) throw failures[0]?.error;
  await withClient(url, async (client) => {
    await client.query("set work_mem = '512MB'");
    await client.query(
      `insert into list_counts (account_id, mode, list, month, count)
       select account_id, mode, event_type, date_trunc('month', event_at at time zone 'UTC')::date, count(*)
       from events
       group by 1, 2, 3, 4
       order by 1, 2, 3, 4`,
    );
    await client.query(
      `insert into list_counts (account_id, mode, list, count)
       select account_id, mode, 'suppressions', count(*)
       from suppressions
       group by 1, 2
       order by 1, 2`,
    );
    await client.query("update provider_state set max_per_second = 1000000");
    await client.query("vacuum (analyze)");
  });
}
