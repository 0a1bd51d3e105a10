import type { Queryable, Transaction } from "../../db/database.ts";

/** The columns of each table in the target, in their order. */
export type Columns = ReadonlyMap<string, readonly string[]>;

/** By name, because the order differs when a step added a column to one cell before another step did. */
export async function readColumns(target: Queryable): Promise<Columns> {
  const rows = await target.query<{ table: string; columns: string[] }>({
    name: "columns-of-tables",
    text: `
      select c.relname::text as "table", array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p')
        and not c.relispartition
      group by c.oid`,
  });
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

export interface WrittenTable {
  table: string;
  unique: readonly string[];
  /** Rows are never changed after their insert. */
  isFinal?: boolean;
  /** Columns with another value in the target: SQL over the row `r`. */
  changed?: Readonly<Record<string, string>>;
  /** Keep their default at the insert and their value later. */
  without?: readonly string[];
  /** Keep their value at an update. */
  insertedOnly?: readonly string[];
  /** SQL over the row `r`; the unique columns, unless it is given. */
  order?: string;
}

/** Inserts the rows or updates those that differ, and returns how many. `rows` are JSON. */
export async function writeRows(
  tx: Transaction,
  columnsOf: Columns,
  written: WrittenTable,
  rows: readonly string[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const { table, unique, isFinal, changed = {}, without = [], insertedOnly = [], order } = written;
  const columns = (columnsOf.get(table) ?? []).filter((column) => !without.includes(column));
  const updated = columns.filter((column) => !unique.includes(column) && !insertedOnly.includes(column));
  const onConflict =
    isFinal || updated.length === 0
      ? "nothing"
      : `update
        set ${updated.map((column) => `${column} = excluded.${column}`).join(", ")}
        where (${updated.map((column) => `known.${column}`).join(", ")})
          is distinct from (${updated.map((column) => `excluded.${column}`).join(", ")})`;
  const [row] = await tx.query<{ rows: number }>({
    name: `write-rows-of-${table}`,
    text: `
      with written as (
        insert into ${table} as known (${columns.join(", ")})
        select ${columns.map((column) => changed[column] ?? `r.${column}`).join(", ")}
        from json_populate_recordset(null::${table}, $1::json) r
        order by ${order ?? unique.map((column) => `r.${column}`).join(", ")}
        on conflict (${unique.join(", ")}) do ${onConflict}
        returning true
      )
      select count(*) as rows
      from written`,
    values: [`[${rows.join(",")}]`],
    isPlannedEachTime: true,
  });
  return row?.rows ?? 0;
}
