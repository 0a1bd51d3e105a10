import { globSync, rmSync } from "node:fs";
import { createDice } from "../../service/proofs/seeded-random.ts";
import { createProgressLog } from "../progress-log.ts";
import type { Outcome, RunOptions } from "./scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";

export interface Run {
  outcome: Outcome;
  seconds: number;
}

export async function runScenario(name: ScenarioName, options: RunOptions): Promise<Run> {
  const folder = folderOf(name, options);
  rmSync(folder, { recursive: true, force: true });
  console.log(`${name}: ${scenarios[name].promise}\nseed ${options.seed}, logs in ${folder}`);
  const started = performance.now();
  const context = { ...options, dice: createDice(options.seed), folder, progress: createProgressLog(name, started) };
  const outcome = await scenarios[name].run(context);
  return { outcome, seconds: (performance.now() - started) / 1000 };
}

/** Of a run that passed, only the list of sends in doubt stays. */
export function dropLogs(name: ScenarioName, options: RunOptions): void {
  for (const part of globSync(`${folderOf(name, options)}/{simulator,*.log}`)) rmSync(part, { recursive: true });
}

function folderOf(name: ScenarioName, { seed }: RunOptions): string {
  return `.chaos/${name}-${seed}`;
}
