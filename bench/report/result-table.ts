import { hasReachedGoal, isWithinLimit, type Validation } from "../frame/judgement.ts";
import type { Result } from "./results.ts";

/** As Markdown, a row for each figure that has a goal. */
export function resultTable(results: Result[]): string {
  const rows = results.flatMap(({ bench, machine, judged }) =>
    judged.map(
      (each) =>
        `| ${bench} | ${each.what} | ${wanted(each)} | ${figure(each)} | ${reached(each)} | ${machine.date.slice(0, 10)}, ${machine.commit} |`,
    ),
  );
  return ["| Bench | Figure | Goal | Measured | | On, with |", "|---|---|---|---|---|---|", ...rows].join("\n");
}

function wanted({ better, goal, unit = "" }: Validation): string {
  return `${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
}

function figure({ measured, spread, unit = "" }: Validation): string {
  const range = spread === undefined ? "" : ` (${short(spread.least)} to ${short(spread.most)})`;
  return `${short(measured)}${unit}${range}`;
}

function reached(judgement: Validation): string {
  if (hasReachedGoal(judgement)) return "reached";
  return isWithinLimit(judgement) ? "not reached, above the floor" : "not reached";
}

export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
