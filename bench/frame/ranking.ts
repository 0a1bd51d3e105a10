import type { Comparison, Figures } from "./compare.ts";
import type { GoalCheck } from "./goal-check.ts";
import { median, quartiles } from "./statistics.ts";

/** How far `first` leads in rate and in CPU time, each against the rival that is best at it. */
export function checkLeads(comparison: Comparison, first: string, rivals: string[], limit: number): GoalCheck[] {
  const least = (what: string, relate: (ours: Figures, theirs: Figures) => number): GoalCheck => {
    const leads = rivals.map((rival) => ({ rival, each: roundByRound(comparison.rounds, first, rival, relate) }));
    const closest = leads.toSorted((one, other) => median(one.each) - median(other.each))[0];
    if (closest === undefined) throw new Error("a ranking needs at least one rival");
    const { rival, each } = closest;
    return {
      what: `${what}, relative to ${rival}, the best of the others`,
      measured: median(each),
      quartiles: quartiles(each),
      better: "more",
      goal: 1,
      limit,
    };
  };
  return [
    least("sends per second", (ours, theirs) => ours.rate / theirs.rate),
    least("sends per CPU second", (ours, theirs) => cpuOf(theirs) / cpuOf(ours)),
  ];
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
