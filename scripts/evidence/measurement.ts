import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { currentCommit } from "./commit.ts";
import { hashOfCovered } from "./covered-code.ts";
import { evidencePath, storeResult } from "./evidence-file.ts";
import type { Claim, Result } from "./result.ts";

export const repository = join(import.meta.dirname, "../..");

export type Found = Pick<Result, "figure" | "n" | "holds" | "goals">;

/**
 * Notes date, commit and covered code before a run at full size. The returned function records what the run found, also when
 * the promise did not hold. Code that changes during the run makes the result stale.
 */
export function startMeasurement(claim: Claim, root = repository): (found: Found) => Promise<void> {
  const { key, promise, command } = claim;
  const covered = hashOfCovered(root, claim.covers);
  const [commit, date] = [currentCommit(), new Date().toISOString().slice(0, 10)];
  const begun = performance.now();
  return async ({ figure, n, holds, goals }) => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    const result = { promise, command, figure, n, holds, date, commit, machine: machineText(), seconds, covered };
    await storeResult(root, key, goals === undefined ? result : { ...result, goals });
    console.log(`Recorded as ${key} in ${evidencePath}. Run \`npm run docs\` to update docs/evidence.md.`);
  };
}

function machineText(): string {
  return `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
}

/** Breaks a long figure into the lines of a table cell, at each semicolon outside of parentheses. */
export function figureLines(figure: string): string[] {
  return figure.split(/; (?![^(]*\))|\n\s*/).filter((line) => line !== "");
}
