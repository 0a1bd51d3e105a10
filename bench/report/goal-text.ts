import { type GoalCheck, hasReachedGoal, isWithinLimit } from "../frame/goal-check.ts";

export function goalText({ better, goal, unit = "" }: GoalCheck): string {
  return `${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
}

export function measuredText({ measured, spread, unit = "" }: GoalCheck): string {
  const range = spread === undefined ? "" : ` (${short(spread.least)} to ${short(spread.most)})`;
  return `${short(measured)}${unit}${range}`;
}

export function reachedText(check: GoalCheck): string {
  if (hasReachedGoal(check)) return "reached";
  return isWithinLimit(check) ? "not reached, within the limit" : "not reached";
}

export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
