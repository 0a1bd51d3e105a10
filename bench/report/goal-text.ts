import { type GoalCheck, hasReachedGoal, isWithinLimit } from "../frame/goal-check.ts";
import type { Quartiles } from "../frame/statistics.ts";

export function goalText({ better, goal, unit = "" }: GoalCheck): string {
  return `${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
}

export function measuredText({ measured, quartiles, spread, unit = "" }: GoalCheck): string {
  return `${short(measured)}${unit}${quartiles ? between(quartiles) : spread ? allRounds(spread) : ""}`;
}

function between({ lower, upper }: Quartiles): string {
  return ` (${short(lower)} to ${short(upper)})`;
}

function allRounds({ least, most }: { least: number; most: number }): string {
  return ` (all rounds: ${short(least)} to ${short(most)})`;
}

export function reachedText(check: GoalCheck): string {
  if (hasReachedGoal(check)) return "reached";
  return isWithinLimit(check) ? "not reached, within the limit" : "not reached";
}

export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
