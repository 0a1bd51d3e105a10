import type { Comparison } from "./compare.ts";

/** One measured figure and the goal it is compared with. */
export interface GoalCheck {
  what: string;
  measured: number;
  /** Lowest and highest value over the rounds. */
  spread?: { least: number; most: number };
  better: "more" | "less";
  goal: number;
  /** The run fails when the figure misses it. */
  limit: number;
  unit?: string;
}

interface Target {
  goal: number;
  /** A full run below it fails. */
  floor: number;
  /** A quick run below it fails. It is lower, because CI machines may be busy. */
  quickFloor: number;
}

/** The ratio of Postern to the baseline: Postern is the first contender after it. */
export function checkRatio(what: string, { ratios }: Comparison, target: Target, isQuick: boolean): GoalCheck {
  const [ours] = Object.values(ratios);
  if (ours === undefined) throw new Error(`no contender was measured against the baseline: ${what}`);
  const { median: measured, ...spread } = ours;
  return {
    what,
    measured,
    spread,
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
  const { measured, spread } = check;
  return {
    ...check,
    measured: round(measured),
    ...(spread === undefined ? {} : { spread: { least: round(spread.least), most: round(spread.most) } }),
  };
}

export function goalCheckText(check: GoalCheck): string {
  const { what, measured, spread, better, goal, limit, unit = "" } = check;
  const mark = hasReachedGoal(check) ? "✓" : isWithinLimit(check) ? "·" : "✗";
  const range = spread === undefined ? "" : ` [${short(spread.least)}-${short(spread.most)}]`;
  const target = `goal ${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
  const bound = limit === goal ? "" : `, limit ${short(limit)}${unit}`;
  return `  ${mark} ${what}: ${short(measured)}${unit}${range}; ${target}${bound}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
