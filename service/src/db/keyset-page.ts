/** A row of a query that scans at most `scanLimit` entries and returns the matches and the last entry it scanned. */
export interface ScannedRow {
  id: string;
  isWanted: boolean;
  /** Position in the scan, from 1. */
  scanPosition: number;
}

/**
 * Keyset pagination over a bounded scan: returns at most `limit` matches, and in `nextBefore` the id to continue from:
 * 1. the last match on this page, when the scan found more;
 * 2. the last scanned entry, when the scan stopped at `scanLimit`;
 * 3. undefined at the end of the list.
 */
export function keysetPage<Row extends ScannedRow>(
  rows: Row[],
  { limit, scanLimit }: { limit: number; scanLimit: number },
) {
  const found = rows.filter((row) => row.isWanted);
  const wanted = found.slice(0, limit);
  if (found.length > limit) return { wanted, nextBefore: wanted.at(-1)?.id };
  return { wanted, nextBefore: rows.find((row) => row.scanPosition === scanLimit)?.id };
}
