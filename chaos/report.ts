import { currentCommit } from "../scripts/evidence/commit.ts";
import type { Finding, Outcome } from "./scenarios/scenario.ts";

export interface RunInfo {
  run: string;
  /** The seed of the random choices, if the run made any. */
  seed?: number;
  seconds: number;
}

/** Prints a table, and one line of JSON for programs. Returns whether every promise held. */
export function report({ run, seed, seconds }: RunInfo, { n, findings, notes }: Outcome): boolean {
  const width = Math.max(...findings.map(({ what }) => what.length));
  for (const note of notes) console.log(`  ${note}`);
  console.log(`\n${run}${seed === undefined ? "" : `, seed ${seed}`}`);
  for (const { what, value, holds } of findings) console.log(`  ${markOf(holds)} ${what.padEnd(width)}  ${value}`);
  const isHeld = findings.every(({ holds }) => holds !== false);
  const figures = Object.fromEntries(findings.map(({ what, value }) => [what.trim(), value]));
  const commit = currentCommit() ?? "unknown";
  console.log(JSON.stringify({ run, seed, n, seconds: Math.round(seconds), commit, holds: isHeld, figures }));
  return isHeld;
}

function markOf(holds: Finding["holds"]): string {
  return holds === undefined ? " " : holds ? "✓" : "✗";
}

/**
 * The findings as short lines for docs/evidence.md: counts of 0 share a line, and so do the findings of a series. A finding that
 * does not hold always has its own line.
 */
export function figureOf({ seed, seconds }: Omit<RunInfo, "run">, { findings }: Outcome): string[] {
  const broken = findings.filter(({ holds }) => holds === false);
  const holding = findings.filter(({ holds }) => holds !== false);
  const zeros = holding.filter(({ value }) => value === 0);
  const ofSeries = Map.groupBy(
    findings.filter(({ series }) => series !== undefined),
    ({ series }) => series,
  );
  const single = holding.filter(({ value, series }) => value !== 0 && series === undefined);
  return [
    ...broken.map((finding) => `did not hold: ${lineOf(finding)}`),
    ...[...ofSeries].map(
      ([series, list]) => `${list.filter(({ holds }) => holds !== false).length} of ${list.length} ${series}`,
    ),
    ...single.map(lineOf),
    ...(zeros.length === 0 ? [] : [`0 each: ${zeros.map(({ what }) => what.trim()).join(", ")}`]),
    `${seed === undefined ? "" : `seed ${seed}, `}${Math.round(seconds / 60)} minutes`,
  ];
}

function lineOf({ what, value }: Finding): string {
  return `${what.trim()}: ${typeof value === "number" ? value.toLocaleString("en-US") : value}`;
}
