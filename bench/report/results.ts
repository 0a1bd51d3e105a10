import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NotReady } from "../frame/bench.ts";
import type { GoalCheck } from "../frame/goal-check.ts";
import type { Machine } from "../frame/machine.ts";

export interface Result {
  bench: string;
  machine: Machine;
  goals: GoalCheck[];
}

/** The results of full runs, ordered by file name. */
export function readResults(folder: string): Result[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
  if (files.length === 0) throw new NotReady("There are no results yet. Run first: npm run bench -- full");
  return files.toSorted().map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}
