import { heldTooLongSeconds } from "../../service/src/storage/held-snapshots.ts";
import type { Comparison, Figures } from "../frame/compare.ts";
import type { GoalCheck } from "../frame/goal-check.ts";
import { median } from "../frame/statistics.ts";
import type { HeldFigures } from "./held-snapshot.ts";

/** From the dataset `from` to the larger `to`, no cost may grow by more than this factor. */
export interface GrowthLimit {
  from: string;
  to: string;
  atMost: number;
  /** Of a search by recipient: it touches each level of its index, which grows by a level about every 200 times as many sends. */
  searchAtMost: number;
}

const search = "search by recipient";
export const bounded = [
  "accept",
  "claim",
  "settle",
  "feedback",
  "status",
  "events page",
  "suppression check",
  "repeat of a send",
  "events total",
  "usage of a day",
  "webhook claim",
  search,
];

/** The median over the rounds of the cost with the larger dataset divided by that with the smaller one. */
export function growthBounds({ rounds }: Comparison, limits: GrowthLimit[]): GoalCheck[] {
  return limits.flatMap(({ from, to, atMost, searchAtMost }) => {
    const bound = (what: string, figure: (figures: Figures) => number | undefined, limit = atMost): GoalCheck => {
      const grown = (rounds[to] ?? []).map((larger, round) =>
        ratio(figure(larger), figure(rounds[from]?.[round] as Figures)),
      );
      return noMore(`${what}, from ${from} to ${to}`, median(grown), limit, " times");
    };
    return [
      bound("CPU time for all steps of a send", ({ cpu }) => cpu?.["all steps"]),
      ...bounded.map((what) =>
        bound(
          `blocks touched by ${what}`,
          ({ notes }) => notes?.[touchedBy(what)],
          what === search ? searchAtMost : atMost,
        ),
      ),
    ];
  });
}

/** The name of the figure among the notes of a round. */
export function touchedBy(what: string): string {
  return `${what}, blocks touched`;
}

export function heldBounds(held: HeldFigures, seconds: number, atMost: number): GoalCheck[] {
  const isLongEnough = seconds > heldTooLongSeconds;
  return [
    noMore("CPU time of a claim under a snapshot kept open", held.atEnd.cpu / held.before.cpu, atMost, " times"),
    noMore("time until the snapshot alarm", held.alarmAfterSeconds, seconds, " s"),
    ...(isLongEnough ? [noMore("alarms missing in `postern status`", Number(!held.isInStatus), 0)] : []),
  ];
}

function noMore(what: string, measured: number, goal: number, unit = ""): GoalCheck {
  return { what, measured, better: "less", goal, limit: goal, unit };
}

function ratio(larger: number | undefined, smaller: number | undefined): number {
  return larger === undefined || smaller === undefined ? Number.NaN : larger / smaller;
}
