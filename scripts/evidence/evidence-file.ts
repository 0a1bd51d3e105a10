import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result, Results } from "./result.ts";

export const evidencePath = "docs/evidence.json";
const lockMs = 10_000;

export function readResults(root: string): Results {
  const file = join(root, evidencePath);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Adds or replaces one result. Runs that record at the same time keep each other's results. */
export async function storeResult(root: string, key: string, result: Result): Promise<void> {
  const file = join(root, evidencePath);
  const release = await lock(`${file}.lock`);
  try {
    writeFileSync(`${file}.new`, resultsText({ ...readResults(root), [key]: result }));
    renameSync(`${file}.new`, file);
  } finally {
    release();
  }
}

/** Sorted by key, one line for each value, so that a new result changes few lines. */
export function resultsText(results: Results): string {
  const sorted = Object.entries(results).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

async function lock(file: string): Promise<() => void> {
  const deadline = performance.now() + lockMs;
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
      return () => rmSync(file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      if (performance.now() > deadline)
        throw new Error(`Another run is recording. If none is running, delete ${file}.`, { cause: error });
      await sleep(20);
    }
  }
}
