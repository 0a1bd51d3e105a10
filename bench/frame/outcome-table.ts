import type { Outcome } from "./bench.ts";
import type { Comparison, Figures } from "./compare.ts";
import { rankingTable } from "./ranking.ts";
import { median } from "./statistics.ts";

export function outcomeTable({ comparisons, rankedBy }: Outcome): string {
  const tables = Object.entries(comparisons).map(([title, comparison]) =>
    rankedBy === undefined ? linesOf(title, comparison) : rankingTable(title, comparison, rankedBy),
  );
  return tables.join("\n");
}

function linesOf(title: string, { rounds, ratios }: Comparison): string {
  const lines = Object.entries(rounds).map(
    ([name, figures]) => `    ${name.padEnd(16)}${describe(figures)}${ratioText(ratios[name])}`,
  );
  return [`  ${title}`, ...lines].join("\n");
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
