import type { Outcome } from "./bench.ts";
import type { Figures } from "./compare.ts";
import { median } from "./statistics.ts";

/** The ratio that goal and floor are about. */
export function ratioOf({ comparisons, decides }: Outcome): number {
  const [first] = Object.values(comparisons[decides]?.ratios ?? {});
  return first?.median ?? Number.NaN;
}

export function outcomeTable({ comparisons }: Outcome): string {
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
