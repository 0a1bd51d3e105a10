import type { Database } from "../src/db/database.ts";

export interface StoredColumn {
  table: string;
  column: string;
  type: string;
}

/** Every column of the schema that can hold text, also as bytes or as a part of JSON. Partitions have the columns of their table. */
export function textColumns(db: Database): Promise<StoredColumn[]> {
  return db.query<StoredColumn>({
    name: "text-columns",
    text: `
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      join pg_type t on t.oid = a.atttypid
      left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
      where c.relnamespace = 'public'::regnamespace
        and c.relkind in ('r', 'p')
        and not c.relispartition
        and a.attnum > 0
        and not a.attisdropped
        and (t.typcategory = 'S' or element.typcategory = 'S' or t.typname in ('json', 'jsonb', 'bytea', 'xml', 'hstore'))
      order by 1, 2`,
  });
}

/**
 * How many rows have the text, for each column that has it: `{ "sends.subject": 2 }`. Looks at all rows of all tables, in any case, with
 * backslashes in it and as in a URL.
 */
export async function findHits(db: Database, text: string): Promise<Record<string, number>> {
  const columns = await textColumns(db);
  const counts = columns.map(
    ({ table, column, type }) => `
      select '${table}.${column}' as place, count(*) as rows
      from ${table}
      where position(lower($1) in replace(replace(lower(${type === "bytea" ? `encode("${column}", 'escape')` : `"${column}"::text`}), '%40', '@'), '\\', '')) > 0`,
  );
  const rows = await db.query<{ place: string; rows: number }>({
    name: `find-hits-${columns.length}`,
    text: counts.join("\n      union all"),
    values: [text],
    isPlannedEachTime: true,
  });
  return Object.fromEntries(
    rows.filter(({ rows: found }) => found > 0).map(({ place, rows: found }) => [place, found]),
  );
}
