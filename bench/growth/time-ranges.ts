export interface TimeRange {
  fromMs: number;
  toMs: number;
  /** The suffix that `make_next_partition` gives the partition. */
  suffix: string;
}

const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

/** Whole months in UTC; the last one is the current month. */
export function monthsUntil(nowMs: number, count: number): TimeRange[] {
  const now = new Date(nowMs);
  return Array.from({ length: count }, (_, index) => {
    const month = now.getUTCMonth() - count + 1 + index;
    const [fromMs, toMs] = [month, month + 1].map((each) => Date.UTC(now.getUTCFullYear(), each)) as [number, number];
    return { fromMs, toMs, suffix: dateOf(fromMs).slice(0, 7) };
  });
}

/** Weeks from Monday to Monday; the last one is the current week. */
export function weeksUntil(nowMs: number, count: number): TimeRange[] {
  const present = startOfWeek(nowMs);
  return Array.from({ length: count }, (_, index) => {
    const fromMs = present - (count - 1 - index) * weekMs;
    return { fromMs, toMs: fromMs + weekMs, suffix: dateOf(fromMs) };
  });
}

/** The number of weekly partitions after the current one: they cover three months. */
export function weeksAhead(nowMs: number): number {
  const until = new Date(nowMs);
  until.setUTCMonth(until.getUTCMonth() + 3);
  return Math.ceil((until.getTime() - startOfWeek(nowMs) - weekMs) / weekMs);
}

export function startOfWeek(ms: number): number {
  // 1970 began on a Thursday.
  return Math.floor((ms - 4 * dayMs) / weekMs) * weekMs + 4 * dayMs;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll("-", "_");
}
