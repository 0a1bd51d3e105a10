import { globSync, rmSync } from "node:fs";
import { createDice } from "../service/proofs/seeded-random.ts";
import { type ChaosOptions, readCommandLine } from "./command-line.ts";
import { report, tellProgress } from "./report.ts";
import { scenarios } from "./scenarios/scenarios.ts";

const options = readCommandLine(process.argv.slice(2));
process.exitCode = options !== undefined && (await runScenario(options)) ? 0 : 1;
// A connection that a fault left half-open must not keep a finished run from ending.
process.exit();

/** Returns whether every promise held; then only the list of sends in doubt is kept. */
async function runScenario({ scenario: name, keep, ...given }: ChaosOptions): Promise<boolean> {
  const scenario = scenarios[name];
  const folder = `.chaos/${name}-${given.seed}`;
  rmSync(folder, { recursive: true, force: true });
  console.log(`${name}: ${scenario.promise}\nseed ${given.seed}, logs in ${folder}`);
  const started = performance.now();
  const outcome = await scenario.run({
    ...given,
    dice: createDice(given.seed),
    folder,
    progress: tellProgress(started),
  });
  const seconds = (performance.now() - started) / 1000;
  const isHeld = report({ run: name, seed: given.seed, seconds }, outcome);
  if (isHeld && !keep) for (const part of globSync(`${folder}/{simulator,*.log}`)) rmSync(part, { recursive: true });
  return isHeld;
}
