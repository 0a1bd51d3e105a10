import { type ChaosOptions, readCommandLine } from "./command-line.ts";
import { report } from "./report.ts";
import { dropLogs, runScenario } from "./scenarios/run-scenario.ts";

/** `npm run chaos` runs one scenario and prints its table. It exits with 1 when a promise did not hold. */
const options = readCommandLine(process.argv.slice(2));
process.exitCode = options !== undefined && (await runAndReport(options)) ? 0 : 1;
// A half-open connection must not keep the finished process running.
process.exit();

async function runAndReport({ scenario, keep, ...given }: ChaosOptions): Promise<boolean> {
  const { outcome, seconds } = await runScenario(scenario, given);
  const isHeld = report({ run: scenario, seed: given.seed, seconds }, outcome);
  if (isHeld && !keep) dropLogs(scenario, given);
  return isHeld;
}
