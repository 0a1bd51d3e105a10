import type { Database } from "../../db/database.ts";
import type { CopiedTable } from "./copied-tables.ts";
import type { CopyDeps } from "./copy-deps.ts";

const keysPerPage = 5_000;

/**
 * Deletes in the target what was deleted in the source. The target has every row of the source, so equal counts mean equal keys. Both
 * databases count the keys by a hash; only the keys of hashes with different counts are compared. A row that the source added after it was copied can
 * hide a deleted one until the next pass. The last pass sees all: nothing changes any more.
 */
export async function removeGone(
  { source, target, inTarget, accountId }: CopyDeps,
  table: CopiedTable,
): Promise<number> {
  const [before, after] = await Promise.all([countKeys(source, accountId, table), countKeys(target, accountId, table)]);
  const buckets = [...after].flatMap(([bucket, keys]) => (keys > (before.get(bucket) ?? 0) ? bucket : []));
  if (buckets.length === 0) return 0;
  const keys = await readKeys(target, accountId, table, buckets);
  let removed = 0;
  for (let first = 0; first < keys.length; first += keysPerPage) {
    const gone = await findMissing(source, table, keys.slice(first, first + keysPerPage));
    if (gone.length > 0) removed += await inTarget((tx) => deleteKeys(tx, table, gone));
  }
  return removed;
}

/** SQL. Not by order: the databases may have different collations. */
function bucketOf({ unique }: CopiedTable): string {
  const own = unique.filter((column) => column !== "account_id");
  return `left(md5(concat_ws(' ', ${own.map((column) => textOf(column)).join(", ")})), 3)`;
}

function textOf(column: string): string {
  return column === "hour" ? "extract(epoch from t.hour)" : `t.${column}`;
}

async function countKeys(db: Database, accountId: string, table: CopiedTable): Promise<Map<string, number>> {
  const rows = await db.query<{ bucket: string; keys: number }>({
    name: `count-keys-of-${table.table}`,
    text: `
      select ${bucketOf(table)} as bucket, count(*) as keys
      from ${table.table} t
      where t.account_id = $1
      group by 1`,
    values: [accountId],
  });
  return new Map(rows.map(({ bucket, keys }) => [bucket, keys]));
}

async function readKeys(db: Database, accountId: string, table: CopiedTable, buckets: string[]): Promise<string[]> {
  const rows = await db.query<{ key: string }>({
    name: `read-keys-of-${table.table}`,
    text: `
      select json_build_object(${table.unique.map((column) => `'${column}', t.${column}`).join(", ")})::text as key
      from ${table.table} t
      where t.account_id = $1
        and ${bucketOf(table)} = any ($2)`,
    values: [accountId, buckets],
  });
  return rows.map(({ key }) => key);
}

async function findMissing(source: Database, { table, unique }: CopiedTable, keys: string[]): Promise<string[]> {
  const rows = await source.query<{ key: string }>({
    name: `find-missing-of-${table}`,
    text: `
      select json_build_object(${unique.map((column) => `'${column}', r.${column}`).join(", ")})::text as key
      from json_populate_recordset(null::${table}, $1::json) r
      where not exists (
        select from ${table} t
        where ${unique.map((column) => `t.${column} = r.${column}`).join(" and ")}
        offset 0
      )`,
    values: [`[${keys.join(",")}]`],
  });
  return rows.map(({ key }) => key);
}

async function deleteKeys(
  tx: Parameters<Parameters<CopyDeps["inTarget"]>[0]>[0],
  { table, unique }: CopiedTable,
  keys: string[],
): Promise<number> {
  const [row] = await tx.query<{ rows: number }>({
    name: `delete-keys-of-${table}`,
    text: `
      with deleted as (
        delete from ${table} t
        using json_populate_recordset(null::${table}, $1::json) r
        where ${unique.map((column) => `t.${column} = r.${column}`).join(" and ")}
        returning true
      )
      select count(*) as rows
      from deleted`,
    values: [`[${keys.join(",")}]`],
  });
  return row?.rows ?? 0;
}
