/** A row of a statement that looks at some entries, and returns those that are wanted and the last that it looked at. */
export interface LookedAt {
  id: string;
  isWanted: boolean;
  /** From 1. */
  place: number;
}

/**
 * What is wanted, and the place to go on from: behind the last that is shown when there are more, or behind the last that
 * was looked at when looking ended before the list did. Undefined at the end of the list.
 */
export function readOn<Row extends LookedAt>(rows: Row[], { limit, lookAt }: { limit: number; lookAt: number }) {
  const found = rows.filter((row) => row.isWanted);
  const wanted = found.slice(0, limit);
  if (found.length > limit) return { wanted, nextBefore: wanted.at(-1)?.id };
  return { wanted, nextBefore: rows.find((row) => row.place === lookAt)?.id };
}
