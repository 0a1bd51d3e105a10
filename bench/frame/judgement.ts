import type { Comparison } from "./compare.ts";

/** One measured figure beside what was wanted. */
export interface Validation {
  what: string;
  measured: number;
  /** Over the rounds. */
  spread?: { least: number; most: number };
  better: "more" | "less";
  goal: number;
  /** Beyond it the run fails. */
  limit: number;
  unit?: string;
}

interface Wanted {
  goal: number;
  /** A full run that stays below it fails. */
  floor: number;
  /** The same of a quick run, which may meet a busy machine. */
  quickFloor: number;
}

/** The ratio of ours to the yardstick; ours is the one contender beside it. */
export function judgeRatio(what: string, { ratios }: Comparison, wanted: Wanted, isQuick: boolean): Validation {
  const [ours] = Object.values(ratios);
  if (ours === undefined) throw new Error(`nothing was measured beside the yardstick of ${what}`);
  const { median: measured, ...spread } = ours;
  return {
    what,
    measured,
    spread,
    better: "more",
    goal: wanted.goal,
    limit: isQuick ? wanted.quickFloor : wanted.floor,
  };
}

/** What could not be measured has reached nothing. */
export function hasReachedGoal({ measured, better, goal }: Validation): boolean {
  return better === "more" ? measured >= goal : measured <= goal;
}

export function isWithinLimit({ measured, better, limit }: Validation): boolean {
  return better === "more" ? measured >= limit : measured <= limit;
}

export function judgementText(judgement: Validation): string {
  const { what, measured, spread, better, goal, limit, unit = "" } = judgement;
  const mark = hasReachedGoal(judgement) ? "✓" : isWithinLimit(judgement) ? "·" : "✗";
  const range = spread === undefined ? "" : ` [${short(spread.least)}-${short(spread.most)}]`;
  const wanted = `goal ${better === "more" ? "at least" : "at most"} ${short(goal)}${unit}`;
  const bound = limit === goal ? "" : `, limit ${short(limit)}${unit}`;
  return `  ${mark} ${what}: ${short(measured)}${unit}${range}; ${wanted}${bound}`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
