import { heldTooLongSeconds } from "../../service/src/storage/held-snapshots.ts";
import type { Comparison, Figures } from "../frame/compare.ts";
import type { Validation } from "../frame/judgement.ts";
import { median } from "../frame/statistics.ts";
import type { HeldFigures } from "./held-snapshot.ts";

/** From a smaller world to a larger one nothing may cost more than so many times as much. */
export interface GrowthLimit {
  from: string;
  to: string;
  atMost: number;
}

const bounded = ["accept", "claim", "settle", "feedback", "status", "events page", "suppression check"];

/** Of each round the larger divided by the smaller, and of these the median. */
export function growthBounds({ rounds }: Comparison, limits: GrowthLimit[]): Validation[] {
  return limits.flatMap(({ from, to, atMost }) => {
    const bound = (what: string, figure: (figures: Figures) => number | undefined): Validation => {
      const grown = (rounds[to] ?? []).map((larger, round) =>
        ratio(figure(larger), figure(rounds[from]?.[round] as Figures)),
      );
      return noMore(`${what}, from ${from} to ${to}`, median(grown), atMost, " times");
    };
    return [
      bound("processor time for the whole way", ({ cpu }) => cpu?.["whole way"]),
      ...bounded.map((what) => bound(`blocks touched by ${what}`, ({ notes }) => notes?.[`${what}, blocks touched`])),
    ];
  });
}

export function heldBounds(held: HeldFigures, seconds: number, atMost: number): Validation[] {
  const isLongEnough = seconds > heldTooLongSeconds;
  return [
    noMore("processor time of a claim under a held snapshot", held.atTheEnd.cpu / held.before.cpu, atMost, " times"),
    noMore("until the alarm about it", held.alarmAfterSeconds, seconds, " s"),
    ...(isLongEnough ? [noMore("alarms missing in `postern status`", Number(!held.isInStatus), 0)] : []),
  ];
}

function noMore(what: string, measured: number, goal: number, unit = ""): Validation {
  return { what, measured, better: "less", goal, limit: goal, unit };
}

function ratio(larger: number | undefined, smaller: number | undefined): number {
  return larger === undefined || smaller === undefined ? Number.NaN : larger / smaller;
}
