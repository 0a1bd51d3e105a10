import type { Queryable } from "../db/database.ts";

const partitionedTables = [
  "sends",
  "send_contents",
  "attachment_chunks",
  "events",
  "audit_entries",
  "notifications",
  "webhook_deliveries",
  "webhook_attempts",
  "logged_requests",
] as const;

export type PartitionedTable = (typeof partitionedTables)[number];
export type PartitionSpan = "month" | "week";

export interface MadePartitions {
  made: string[];
  failures: { table: PartitionedTable; error: unknown }[];
}

/**
 * Creates the missing partitions for three months from `at`, each in its own transaction. A failure for one table does not
 * stop the others. Contents and webhooks have weekly partitions, so that they can be dropped soon after their retention ends. The request
 * log has daily ones, for three weeks.
 */
export async function makePartitionsAhead(db: Queryable, span: PartitionSpan, at?: string): Promise<MadePartitions> {
  const made: string[] = [];
  const failures: MadePartitions["failures"] = [];
  for (const table of partitionedTables) {
    const spanOfTable = spanOf(table, span);
    try {
      for await (const name of untilNone(() => makeNextPartition(db, table, spanOfTable, at))) {
        // crash point: partition-made
        made.push(name);
      }
    } catch (error) {
      failures.push({ table, error });
    }
  }
  return { made, failures };
}

/** Audit entries are few, however many sends there are. */
function spanOf(table: PartitionedTable, span: PartitionSpan): PartitionSpan | "day" {
  switch (table) {
    case "send_contents":
    case "attachment_chunks":
    case "notifications":
    case "webhook_deliveries":
    case "webhook_attempts":
      return "week";
    case "audit_entries":
      return "month";
    case "logged_requests":
      return "day";
    default:
      return span;
  }
}

async function makeNextPartition(
  db: Queryable,
  table: PartitionedTable,
  span: PartitionSpan | "day",
  at: string | undefined,
) {
  const [row] = await db.query<{ name: string | null }>({
    name: "make-next-partition",
    text: `
      select make_next_partition($1, $2, coalesce($3::timestamptz, now())) as name`,
    values: [table, span, at],
  });
  return row?.name;
}

/** Repeats `run` until it returns nothing. */
export async function* untilNone<Step>(run: () => Promise<Step>): AsyncGenerator<NonNullable<Step>> {
  for (let step = await run(); step; step = await run()) yield step;
}

/** Less than this raises a warning. */
export const minAheadSeconds = 14 * 86_400;

export interface PartitionState {
  table: PartitionedTable;
  /** Includes the default partition. */
  attached: number;
  /** Time until the newest partition ends. */
  aheadSeconds: number;
  coversNow: boolean;
  isDefaultUsed: boolean;
}

export async function inspectPartitions(db: Queryable, at?: string): Promise<PartitionState[]> {
  return db.query<PartitionState>({
    name: "inspect-partitions",
    text: `
      with moment as (
        select coalesce($1::timestamptz, now()) as at
      ), tables (position, name, is_default_used) as (
        select 1, 'sends', exists (select from sends_default)
        union all
        select 2, 'send_contents', exists (select from send_contents_default)
        union all
        select 3, 'attachment_chunks', exists (select from attachment_chunks_default)
        union all
        select 4, 'events', exists (select from events_default)
        union all
        select 5, 'audit_entries', exists (select from audit_entries_default)
        union all
        select 6, 'notifications', exists (select from notifications_default)
        union all
        select 7, 'webhook_deliveries', exists (select from webhook_deliveries_default)
        union all
        select 8, 'webhook_attempts', exists (select from webhook_attempts_default)
        union all
        select 9, 'logged_requests', exists (select from logged_requests_default)
      )
      select
        tables.name as "table",
        count(ranges.name) as attached,
        coalesce(greatest(extract(epoch from max(ranges.ends_at) - moment.at), 0), 0)::float8 as "aheadSeconds",
        coalesce(bool_or(ranges.starts_at <= moment.at and moment.at < ranges.ends_at), false) as "coversNow",
        tables.is_default_used as "isDefaultUsed"
      from tables
      cross join moment
      left join partition_ranges ranges on ranges.parent = tables.name
      group by tables.position, tables.name, tables.is_default_used, moment.at
      order by tables.position`,
    values: [at],
  });
}

/** When the oldest week of content starts that is not dropped yet; undefined without partitions. */
export async function findOldestContentAt(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ at: string | null }>({
    name: "find-oldest-content",
    text: `
      select min(starts_at) as at
      from partition_ranges
      where parent = 'send_contents'`,
  });
  return row?.at ?? undefined;
}

/** Since when the attached partitions have both sends and events; undefined without partitions. */
export async function findOldestRecordAt(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ at: string | null }>({
    name: "find-oldest-record",
    text: `
      select max(starts_at) as at
      from (
        select min(starts_at) as starts_at
        from partition_ranges
        where parent in ('sends', 'events')
        group by parent
      ) as oldest`,
  });
  return row?.at ?? undefined;
}
