import type { Bench, Outcome } from "./bench.ts";
import type { Figures } from "./compare.ts";
import { leadsOf, rankingTable, rankingVerdict } from "./ranking.ts";
import { median } from "./statistics.ts";

/** The ratio that goal and floor are about. */
export function ratioOf(outcome: Outcome): number {
  const { comparisons, decides, first: ranked } = outcome;
  if (ranked !== undefined) {
    const { rate, cpu } = leadsOf(outcome, ranked);
    return Math.min(rate.factor, cpu.factor);
  }
  const [first] = Object.values(comparisons[decides]?.ratios ?? {});
  return first?.median ?? Number.NaN;
}

export function verdict({ name, goal, floor }: Bench, outcome: Outcome): string {
  if (outcome.first !== undefined) return `${name}: ${rankingVerdict(outcome, outcome.first)}`;
  return `${name}: ${ratioOf(outcome).toFixed(2)} of the yardstick; goal ${goal}, floor ${floor}`;
}

export function outcomeTable(outcome: Outcome): string {
  const { comparisons, first } = outcome;
  if (first !== undefined) return rankingTable(outcome, first);
  const lines = Object.entries(comparisons).flatMap(([title, { rounds, ratios }]) => [
    `  ${title}`,
    ...Object.entries(rounds).map(
      ([name, figures]) => `    ${name.padEnd(16)}${describe(figures)}${ratioText(ratios[name])}`,
    ),
  ]);
  return lines.join("\n");
}

function describe(figures: Figures[]): string {
  const rate = `${Math.round(median(figures.map(({ rate: each }) => each)))}/s`.padEnd(12);
  const parts = [...named(figures, "cpu", " CPU-s/1000"), ...named(figures, "notes", "")];
  return rate + parts.join("  ");
}

function named(figures: Figures[], member: "cpu" | "notes", unit: string): string[] {
  return Object.keys(figures[0]?.[member] ?? {}).map((name) => {
    const value = median(figures.map((each) => each[member]?.[name] ?? Number.NaN));
    return `${name} ${value < 10 ? value.toFixed(3) : Math.round(value)}${unit}`;
  });
}

function ratioText(ratio: { median: number; least: number; most: number } | undefined): string {
  if (ratio === undefined) return "";
  return `  = ${ratio.median.toFixed(2)} [${ratio.least.toFixed(2)}-${ratio.most.toFixed(2)}]`;
}
