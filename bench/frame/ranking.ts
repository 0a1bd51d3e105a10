import type { Outcome } from "./bench.ts";
import type { Comparison, Figures } from "./compare.ts";
import { median, spread } from "./statistics.ts";

interface Lead {
  /** How many times better than the best of the others; below 1 it is behind. */
  factor: number;
  rival: string;
}

/** How far `first` leads in rate and in processor time, each against whoever is best at it. */
export function leadsOf(outcome: Outcome, first: string): { rate: Lead; cpu: Lead } {
  const { comparisons, decides, aside = [] } = outcome;
  const { rounds = {} } = comparisons[decides] ?? {};
  const others = Object.keys(rounds).filter((name) => name !== first && !aside.includes(name));
  const smallest = (better: (ours: Figures, theirs: Figures) => number) =>
    others
      .map((rival) => ({ rival, factor: median(roundByRound(rounds, first, rival, better)) }))
      .reduce((least, each) => (each.factor < least.factor ? each : least));
  return {
    rate: smallest((ours, theirs) => ours.rate / theirs.rate),
    cpu: smallest((ours, theirs) => cpuOf(theirs) / cpuOf(ours)),
  };
}

export function rankingVerdict(outcome: Outcome, first: string): string {
  const { rate, cpu } = leadsOf(outcome, first);
  const place = ({ factor, rival }: Lead, what: string) =>
    factor > 1
      ? `first in ${what}, ahead of ${rival} by a factor of ${factor.toFixed(2)}`
      : `behind ${rival} in ${what} by a factor of ${(1 / factor).toFixed(2)}`;
  return `${first} is ${place(rate, "throughput")}; ${place(cpu, "processor time")}`;
}

/** Best first, with everything in relation to `first`. */
export function rankingTable({ comparisons }: Outcome, first: string): string {
  const head = `    ${"".padEnd(18)}${"sends/s".padStart(8)}  ${"of ours".padEnd(18)}${"CPU-s/1000".padStart(10)}  of ours`;
  const lines = Object.entries(comparisons).flatMap(([title, { rounds }]) => [
    `  ${title}`,
    head,
    ...Object.keys(rounds)
      .toSorted((one, other) => medianRate(rounds[other]) - medianRate(rounds[one]))
      .map((name) => row(rounds, name, first)),
  ]);
  return lines.join("\n");
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
  const { least, most } = spread(each);
  return `${median(each).toFixed(2)} [${least.toFixed(2)}-${most.toFixed(2)}]`;
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
    const beside = rounds[other]?.[round];
    return beside === undefined ? [] : [relate(figures, beside)];
  });
}

function cpuOf({ cpu = {} }: Figures): number {
  return Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
}
