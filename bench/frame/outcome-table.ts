import type { Outcome } from "./bench.ts";
import type { Comparison, Figures, Ratio } from "./compare.ts";
import { rankingTable } from "./ranking.ts";
import { median } from "./statistics.ts";

export function outcomeTable({ comparisons, rankedBy }: Outcome): string {
  const tables = Object.entries(comparisons).map(([title, comparison]) => {
    if (rankedBy !== undefined) return rankingTable(title, comparison, rankedBy);
    const [first] = Object.values(comparison.rounds);
    return hasManyFigures(first?.[0]) ? rowPerFigure(title, comparison) : rowPerContender(title, comparison);
  });
  return tables.join("\n");
}

function hasManyFigures(figures: Figures | undefined): boolean {
  return Object.keys({ ...figures?.cpu, ...figures?.notes }).length > 8;
}

function rowPerFigure(title: string, { rounds }: Comparison): string {
  const contenders = Object.values(rounds);
  const widths = Object.keys(rounds).map((name) => Math.max(8, name.length));
  const row = (name: string, values: string[]) =>
    `  ${name.padEnd(40)}${values.map((value, column) => value.padStart(2 + (widths[column] ?? 0))).join("")}`;
  const of = (name: string, figure: (figures: Figures) => number | undefined) => {
    const medians = contenders.map((figures) => median(figures.map((each) => figure(each) ?? Number.NaN)));
    return row(name, medians.map(rounded));
  };
  const names = (member: "cpu" | "notes") => Object.keys(contenders[0]?.[0]?.[member] ?? {});
  return [
    row(title, Object.keys(rounds)),
    of("per second", ({ rate }) => rate),
    ...names("cpu").map((name) => of(`${name}, CPU-s/1000`, ({ cpu }) => cpu?.[name])),
    ...names("notes").map((name) => of(name, ({ notes }) => notes?.[name])),
  ].join("\n");
}

function rounded(value: number): string {
  return value < 10 ? value.toFixed(3) : value < 100 ? value.toFixed(1) : String(Math.round(value));
}

function rowPerContender(title: string, { rounds, ratios }: Comparison): string {
  const lines = Object.entries(rounds).map(
    ([name, figures]) => `    ${name.padEnd(18)}${describe(figures)}${ratioText(ratios[name])}`,
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

function ratioText(ratio: Ratio | undefined): string {
  if (ratio === undefined) return "";
  return `  = ${ratio.median.toFixed(2)} [${ratio.lower.toFixed(2)}-${ratio.upper.toFixed(2)}]`;
}
