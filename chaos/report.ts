import { execFileSync } from "node:child_process";
import type { Finding, Outcome } from "./scenarios/scenario.ts";

export interface Told {
  run: string;
  /** Of the random decisions, where there were any. */
  seed?: number;
  seconds: number;
}

/** A table for people and one line of JSON for machines. Returns whether every promise held. */
export function report({ run, seed, seconds }: Told, { n, findings, notes }: Outcome): boolean {
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

/** With a plus when what ran is not what was committed. */
function commit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}
