import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Judgement } from "../frame/judgement.ts";
import type { Machine } from "../frame/machine.ts";

export interface Result {
  bench: string;
  machine: Machine;
  judged: Judgement[];
}

/** What full runs have left behind, in the order of their names. */
export function readResults(folder: string): Result[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.toSorted().map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}
