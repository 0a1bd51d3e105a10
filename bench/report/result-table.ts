import { type GoalCheck, hasReachedGoal, isWithinLimit } from "../frame/goal-check.ts";
import type { Result } from "./results.ts";

/** A Markdown table with a row per goal. */
export function resultTable(results: Result[]): string {
  const rows = results.flatMap(({ bench, machine, goals }) =>
    goals.map(
      (each) =>
        `| ${bench} | ${each.what} | ${target(each)} | ${figure(each)} | ${reached(each)} | ${machine.date.slice(0, 10)}, ${machine.commit} |`,
    ),
  );
  return ["| Bench | Figure | Goal | Measured | | Date, commit |", "|---|---|---|---|---|---|", ...rows].join("\n");
}

function target({ better, goal, unit = "" }: GoalCheck): string {
  return `${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
}

function figure({ measured, spread, unit = "" }: GoalCheck): string {
  const range = spread === undefined ? "" : ` (${short(spread.least)} to ${short(spread.most)})`;
  return `${short(measured)}${unit}${range}`;
}

function reached(check: GoalCheck): string {
  if (hasReachedGoal(check)) return "reached";
  return isWithinLimit(check) ? "not reached, within the limit" : "not reached";
}

export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
