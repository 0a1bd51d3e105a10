import type pg from "pg";
import type { Progress } from "./lock-retries.ts";

/** Runs one statement of a part; the caller knows which ones may wait for locks. */
export type RunPart = (sql: string, what: string) => Promise<unknown>;

/** A build that was interrupted leaves an invalid index behind, which `if not exists` would keep. */
export async function dropInvalidIndex(client: pg.Client, name: string, run: RunPart): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_index where indexrelid = to_regclass($1) and not indisvalid and not exists (select from pg_inherits where inhparent = indexrelid)",
    [name],
  );
  if (rowCount === 0) return;
  await run(`drop index concurrently ${name}`, `drop the unfinished index ${name}`);
}

const createIndex = /^create (unique )?index (\w+) on (\w+) (.+?);?$/s;
const createConcurrently = /^create (?:unique )?index concurrently if not exists (\w+) on /;

/** The name of the index that the statement builds concurrently; undefined for every other statement. */
export function concurrentIndexName(sql: string): string | undefined {
  return createConcurrently.exec(withoutComments(sql))?.[1];
}

/**
 * Builds the index of a partitioned table without blocking writes: PostgreSQL cannot build it concurrently as a whole.
 *
 * 1. The index of the parent alone, which is invalid. From now on every new partition gets the index when it is made.
 * 2. For each partition without it: build concurrently, then attach.
 *
 * PostgreSQL declares the index of the parent valid when the last partition is attached. Every step can be repeated.
 */
export async function buildPartitionedIndex(client: pg.Client, sql: string, run: RunPart, report: Progress) {
  const [, unique = "", index = "", table = "", rest = ""] = createIndex.exec(withoutComments(sql)) ?? [];
  if (index === "") throw new Error(`not of the form "create index NAME on TABLE (…)": ${sql}`);
  await run(`create ${unique}index if not exists ${index} on only ${table} ${rest}`, index);
  for (;;) {
    const partitions = await withoutIndex(client, table, index);
    const [partition] = partitions;
    if (partition === undefined) return;
    report(`${index}: ${partitions.length} of the partitions of ${table} left, building ${partition}`);
    const own = `${partition}_${index.startsWith(`${table}_`) ? index.slice(table.length + 1) : index}`;
    await dropInvalidIndex(client, own, run);
    await run(`create ${unique}index concurrently if not exists ${own} on ${partition} ${rest}`, own);
    await run(`alter index ${index} attach partition ${own}`, index);
  }
}

async function withoutIndex(client: pg.Client, table: string, index: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select partition.inhrelid::regclass::text as name
     from pg_inherits partition
     where partition.inhparent = $1::regclass
       and not exists (
         select from pg_inherits attached
         join pg_index own on own.indexrelid = attached.inhrelid
         where attached.inhparent = $2::regclass and own.indrelid = partition.inhrelid
       )
     order by 1`,
    [table, index],
  );
  return rows.map(({ name }) => name);
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^\s*--.*$/gm, "").trim();
}
