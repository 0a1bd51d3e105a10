import { type Comparison, ratioOf } from "./compare.ts";
import type { Quartiles } from "./statistics.ts";

/** One measured figure and the goal it is compared with. */
export interface GoalCheck {
  what: string;
  measured: number;
  quartiles?: Quartiles;
  /** Lowest and highest value over the rounds. Only in results from before 2026-11-18, which have no quartiles. */
  spread?: { least: number; most: number };
  better: "more" | "less";
  goal: number;
  /** The run fails when the figure misses it. */
  limit: number;
  unit?: string;
}

export interface Target {
  goal: number;
  /** A full run that misses it fails. */
  floor: number;
  /** A quick run that misses it fails. It is wider, because CI machines may be busy. */
  quickFloor: number;
}

/** The ratio of Postern to `other`, the baseline unless named. */
export function checkRatio(
  what: string,
  { rounds, baseline }: Comparison,
  target: Target,
  { isQuick, other = baseline }: { isQuick: boolean; other?: string },
): GoalCheck {
  const { median: measured, ...between } = ratioOf(rounds, "postern", other);
  return {
    what,
    measured,
    quartiles: between,
    better: "more",
    goal: target.goal,
    limit: isQuick ? target.quickFloor : target.floor,
  };
}

/** NaN, a figure that could not be measured, never reaches its goal. */
export function hasReachedGoal({ measured, better, goal }: GoalCheck): boolean {
  return better === "more" ? measured >= goal : measured <= goal;
}

export function isWithinLimit({ measured, better, limit }: GoalCheck): boolean {
  return better === "more" ? measured >= limit : measured <= limit;
}

/** Six digits: short in a file, and enough to round once more for a table. */
export function rounded(check: GoalCheck): GoalCheck {
  const round = (value: number) => Number(value.toPrecision(6));
  const { measured, quartiles } = check;
  return {
    ...check,
    measured: round(measured),
    ...(quartiles && { quartiles: { lower: round(quartiles.lower), upper: round(quartiles.upper) } }),
  };
}

export function goalCheckText(check: GoalCheck): string {
  const { what, measured, quartiles, better, goal, limit, unit = "" } = check;
  const mark = hasReachedGoal(check) ? "✓" : isWithinLimit(check) ? "·" : "✗";
  const range = quartiles === undefined ? "" : ` [${short(quartiles.lower)}-${short(quartiles.upper)}]`;
  const target = `goal ${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
  const bound = limit === goal ? "" : `, limit ${short(limit)}${unit}`;
  return `  ${mark} ${what}: ${short(measured)}${unit}${range}; ${target}${bound}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
