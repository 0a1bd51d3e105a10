/**
 * SQL: the entries of the modes in `$2` as one list. `entries` is an ordered query for one mode, by an index that starts with account
 * and mode, so PostgreSQL merges two ordered lists. It would otherwise sort all entries: row-level security keeps it from merging the
 * indexes by itself. The second mode is null for a caller who reads one mode.
 */
export function ofEachMode(entries: (mode: string) => string): string {
  return ["($2::text[])[1]", "($2::text[])[2]"]
    .map((mode) => `(${entries(mode)})`)
    .join("\n          union all\n          ");
}
