/**
 * Fragments of SQL that hold a statement to the plan it was written for. PostgreSQL keeps the plan of a prepared statement for
 * the life of a connection. A plan from the time when a table was small, or its statistics were old, reads the whole table
 * later: settling 100 sends took 147 ms in a queue of 3,000.
 */

/** A subquery that looks its rows up by index, once for each outer row: `offset 0` forbids a join with the whole table. */
export function indexLookup(query: string): string {
  return `(${query.trimEnd()}
        offset 0
      )`;
}

/** A subquery whose columns are computed once: without `offset 0` PostgreSQL repeats each expression wherever it is used. */
export function computedOnce(query: string): string {
  return indexLookup(query);
}

/** `column = value`, in a form that no hash join or merge join can use: PostgreSQL finds the row by its index. */
export function equalByIndex(column: string, value: string): string {
  return `${column} between ${value} and ${value}`;
}

/** `(a, b) = (x, y)`, in a form that only an index that starts with the first column can serve, and not one on another column alone. */
export function rowByIndex(columns: readonly string[], values: readonly string[]): string {
  const [row, same] = [`(${columns.join(", ")})`, `(${values.join(", ")})`];
  return `${row} >= ${same} and ${row} <= ${same}`;
}

/** A text column in a form that no index can serve, so that PostgreSQL uses the index on another column. */
export function withoutIndex(column: string): string {
  return `${column} || ''`;
}

/**
 * A condition that is true wherever `isTrue` is. PostgreSQL estimates that it is expensive for each row a scan reads, and never evaluates
 * the expensive part. So an index that finds only rows with `isTrue` is always cheaper than a scan in the wanted order that removes other
 * rows: with statistics, PostgreSQL expects to find the first rows of an account soon, and reads the whole table when there are none.
 */
export function onlyByIndex(isTrue: string, integer: string): string {
  return `(${isTrue} or (select count(*) from generate_series(1, ${integer})) < 0)`;
}
