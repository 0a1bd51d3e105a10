import type { UsageRange } from "../../parts/usage-range.ts";

const dayMs = 86_400_000;
/** Up to here the API counts by hour; a longer range with many domains would have more than 5,000 entries. */
const maxHourlyMs = 2 * dayMs;

export interface CountedRange {
  by: "hour" | "day";
  from: number;
  to: number;
}

/** What is asked for each domain and key: the hours of a short range, or whole UTC days. */
export function countedRange({ preset, from, to }: UsageRange, now: number): CountedRange {
  if (to - from <= maxHourlyMs) return { by: "hour", from, to };
  if (preset === undefined) return wholeDays({ from, to });
  const today = floorDay(now);
  const days = preset === "30d" ? 30 : 7;
  return { by: "day", from: today - (days - 1) * dayMs, to: today + dayMs };
}

/** The UTC days that the range touches. Tags are counted per day. */
export function wholeDays({ from, to }: Pick<UsageRange, "from" | "to">): CountedRange {
  return { by: "day", from: floorDay(from), to: floorDay(to - 1) + dayMs };
}

function floorDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}
