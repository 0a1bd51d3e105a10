export interface TimeRange {
  fromMs: number;
  toMs: number;
  /** As `make_next_partition` would name it. */
  suffix: string;
}

const dayMs = 86_400_000;
export const weekMs = 7 * dayMs;

/** Whole months in UTC, the last of them the present one. */
export function monthsUntil(nowMs: number, count: number): TimeRange[] {
  const now = new Date(nowMs);
  return Array.from({ length: count }, (_, place) => {
    const month = now.getUTCMonth() - count + 1 + place;
    const [fromMs, toMs] = [month, month + 1].map((each) => Date.UTC(now.getUTCFullYear(), each)) as [number, number];
    return { fromMs, toMs, suffix: dateOf(fromMs).slice(0, 7) };
  });
}

/** From Monday to Monday, the last of them the present one. */
export function weeksUntil(nowMs: number, count: number): TimeRange[] {
  const present = startOfWeek(nowMs);
  return Array.from({ length: count }, (_, place) => {
    const fromMs = present - (count - 1 - place) * weekMs;
    return { fromMs, toMs: fromMs + weekMs, suffix: dateOf(fromMs) };
  });
}

/** How many weeks behind the present one are made ahead of time: until three months are there. */
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
