import { execFileSync } from "node:child_process";
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
  console.log(JSON.stringify({ run, seed, n, seconds: Math.round(seconds), commit: commit(), holds: isHeld, figures }));
  return isHeld;
}

function markOf(holds: Finding["holds"]): string {
  return holds === undefined ? " " : holds ? "✓" : "✗";
}

/** With a plus when the working tree differs from the commit. */
function commit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}
