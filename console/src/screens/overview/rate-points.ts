import type { Usage } from "../../api/api-types.ts";
import { minOutcomes } from "./review-distance.ts";

const dayMs = 86_400_000;
/** The guard counts seven days by UTC, the current one included. */
const windowDays = 7;
const shownDays = 30;

function utcDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

/** The start of the seven days that the guard counts now. */
export function windowStart(now: number): number {
  return utcDay(now) - (windowDays - 1) * dayMs;
}

/** The days that the line needs: each point counts the six days before it too. */
export function rateDays(now: number): { from: number; to: number } {
  const today = utcDay(now);
  return { from: today - (shownDays + windowDays - 2) * dayMs, to: today + dayMs };
}

export interface RatePoints {
  bounces: { at: string; rate: number | null }[];
  complaints: { at: string; rate: number | null }[];
}

/** The rates of seven days at the end of each of the last 30 days, by the formula of the guard; null below 200 outcomes. */
export function ratePoints(entries: readonly Usage[], now: number): RatePoints {
  const byDay = new Map(entries.map((entry) => [Date.parse(entry.start), entry]));
  const today = utcDay(now);
  const days = Array.from({ length: shownDays }, (_, index) => today - (shownDays - 1 - index) * dayMs);
  const sums = days.map((day) => {
    const sum = { outcomes: 0, hard: 0, complaints: 0 };
    for (let age = 0; age < windowDays; age += 1) {
      const entry = byDay.get(day - age * dayMs);
      sum.outcomes += (entry?.delivered ?? 0) + (entry?.bounced_hard ?? 0);
      sum.hard += entry?.bounced_hard ?? 0;
      sum.complaints += entry?.complained ?? 0;
    }
    // The end of the day; now for the current one.
    return { ...sum, at: new Date(Math.min(day + dayMs, now)).toISOString() };
  });
  const rate = (count: number, outcomes: number) => (outcomes < minOutcomes ? null : count / outcomes);
  return {
    bounces: sums.map(({ at, hard, outcomes }) => ({ at, rate: rate(hard, outcomes) })),
    complaints: sums.map(({ at, complaints, outcomes }) => ({ at, rate: rate(complaints, outcomes) })),
  };
}
