import type { Database } from "../../db/database.ts";
import type { CopiedTable } from "./copied-tables.ts";
import { isChanged } from "./horizon.ts";
import { readInSource } from "./read-in-source.ts";

export interface Place {
  scope: string;
  /** The key of the last row that was read; undefined at the begin. */
  after: string[] | undefined;
}

export interface PageLimits {
  /** Rows that a page reads, changed or not. */
  scanned: number;
  rows: number;
  bytes: number;
}

export interface Page {
  /** Each as JSON. PostgreSQL writes and reads it, so no value passes through a JavaScript number. */
  rows: string[];
  last: string[] | undefined;
  isEnd: boolean;
}

interface ReadOptions {
  accountId: string;
  place: Place;
  limits: PageLimits;
  since: string | undefined;
  isLast: boolean;
}

export async function readPage(source: Database, table: CopiedTable, options: ReadOptions): Promise<Page> {
  const { accountId, place, limits, since, isLast } = options;
  const found = await readInSource(source, (tx) =>
    tx.query<{ row: string | null; key: string[]; isEnd: boolean }>({
      name: `read-page-of-${table.table}`,
      text: pageStatement(table, { isFirst: place.after === undefined, isLast }),
      values: [
        accountId,
        place.scope,
        since ?? null,
        limits.scanned,
        limits.rows,
        limits.bytes,
        ...(place.after ?? []),
      ],
      isPlannedEachTime: true,
    }),
  );
  const last = found.at(-1);
  return { rows: found.flatMap(({ row }) => row ?? []), last: last?.key, isEnd: last?.isEnd ?? true };
}

/**
 * 1. `next`: the next rows by key, with those that changed as JSON. Most did not: what this does for each row is most of the time of a pass.
 * 2. `taken`: as many of the changed ones as the limits permit, and at least one.
 * 3. When all are taken, the key of the last row that was read.
 */
function pageStatement(table: CopiedTable, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const expressions = table.key.map(([sql]) => sql);
  const names = expressions.map((_, position) => `key_${position + 1}`);
  const [firstKey] = table.key.map(([sql, type], position) => `${sql} >= $${position + 7}::${type}`);
  const after = table.key.map(([, type], position) => `$${position + 7}::${type}`);
  // The first condition finds the index of a parent, the second excludes the rows of the page before.
  const following = isFirst ? "" : `and ${firstKey} and (${expressions.join(", ")}) > (${after.join(", ")})`;
  const asText = `array[${names.map((name) => `${name}::text`).join(", ")}]`;
  return `
    with next as materialized (
      select ${expressions.map((sql, position) => `${sql} as ${names[position]}`).join(", ")},
        case when ${wanted(table, isLast)} then to_json(t)::text end as row
      from ${table.from}
      where ${table.where}
        ${following}
      order by ${expressions.join(", ")}
      limit $4
    ), sized as materialized (
      select *, coalesce(sum(octet_length(row)) over earlier, 0) as bytes_before, count(*) over earlier as rows_before
      from next
      where row is not null
      window earlier as (order by ${names.join(", ")} rows between unbounded preceding and 1 preceding)
    ), taken as materialized (
      select row, ${asText} as key, rows_before
      from sized
      where rows_before < $5
        and bytes_before < $6
    ), last as (
      select ${asText} as key
      from next
      where (select count(*) from taken) = (select count(*) from sized)
      order by ${names.map((name) => `${name} desc`).join(", ")}
      limit 1
    )
    select row, key, "isEnd"
    from (
      select row, key, false as "isEnd", rows_before
      from taken
      union all
      select null, key, (select count(*) from next) < $4, null
      from last
    ) as page
    order by rows_before nulls last`;
}

function wanted({ isOfAccount = "true", isLate, unique: [column] }: CopiedTable, isLast: boolean): string {
  const changed = isChanged("t", "$3");
  const inTime =
    isLate === undefined ? changed : isLast ? `(${isLate} or ${changed})` : `not (${isLate}) and ${changed}`;
  return `t.${column} is not null and ${isOfAccount} and ${inTime}`;
}
