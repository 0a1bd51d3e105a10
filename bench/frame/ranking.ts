import type { Comparison, Figures } from "./compare.ts";
import type { GoalCheck, Target } from "./goal-check.ts";
import { median, quartiles } from "./statistics.ts";

/** The CPU time of `first` per unit of work, relative to the rival that needs least. */
export function checkCpu(
  { rounds }: Comparison,
  first: string,
  rivals: string[],
  target: Target,
  isQuick: boolean,
): GoalCheck {
  const relative = rivals.map((rival) => ({
    rival,
    each: roundByRound(rounds, first, rival, (ours, theirs) => cpuOf(ours) / cpuOf(theirs)),
  }));
  const closest = relative.toSorted((one, other) => median(other.each) - median(one.each))[0];
  if (closest === undefined) throw new Error("a ranking needs at least one rival");
  return {
    what: `CPU time per send, relative to ${closest.rival}, the best of the others`,
    measured: median(closest.each),
    quartiles: quartiles(closest.each),
    better: "less",
    goal: target.goal,
    limit: isQuick ? target.quickFloor : target.floor,
  };
}

/** Best first; the ratios relate each contender to `first`. */
export function rankingTable(title: string, { rounds }: Comparison, first: string): string {
  const head = `    ${"".padEnd(18)}${"sends/s".padStart(8)}  ${`of ${first}`.padEnd(18)}${"CPU-s/1000".padStart(10)}  of ${first}`;
  const rows = Object.keys(rounds)
    .toSorted((one, other) => medianRate(rounds[other]) - medianRate(rounds[one]))
    .map((name) => row(rounds, name, first));
  return [`  ${title}`, head, ...rows].join("\n");
}

function row(rounds: Comparison["rounds"], name: string, first: string): string {
  const figures = rounds[name] ?? [];
  const rateRatio = ratioText(roundByRound(rounds, name, first, (each, ours) => each.rate / ours.rate));
  const cpuRatio = ratioText(roundByRound(rounds, name, first, (each, ours) => cpuOf(each) / cpuOf(ours)));
  const parts = Object.keys(figures[0]?.cpu ?? {}).map((part) => {
    const seconds = median(figures.map(({ cpu }) => cpu?.[part] ?? Number.NaN));
    return `${part} ${seconds.toFixed(3)}`;
  });
  const rate = String(Math.round(medianRate(figures))).padStart(8);
  const cpu = median(figures.map(cpuOf)).toFixed(3).padStart(10);
  return `    ${name.padEnd(18)}${rate}  ${rateRatio.padEnd(18)}${cpu}  ${cpuRatio.padEnd(18)}${parts.join("  ")}`;
}

function ratioText(each: number[]): string {
  const { lower, upper } = quartiles(each);
  return `${median(each).toFixed(2)} [${lower.toFixed(2)}-${upper.toFixed(2)}]`;
}

function medianRate(figures: Figures[] = []): number {
  return median(figures.map(({ rate }) => rate));
}

function roundByRound(
  rounds: Comparison["rounds"],
  one: string,
  other: string,
  relate: (one: Figures, other: Figures) => number,
): number[] {
  return (rounds[one] ?? []).flatMap((figures, round) => {
    const counterpart = rounds[other]?.[round];
    return counterpart === undefined ? [] : [relate(figures, counterpart)];
  });
}

function cpuOf({ cpu = {} }: Figures): number {
  return Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
}
