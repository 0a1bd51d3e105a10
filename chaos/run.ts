import { startMeasurement } from "../scripts/evidence/measurement.ts";
import { findClaim } from "./claims.ts";
import { type ChaosOptions, readCommandLine, sizeText } from "./command-line.ts";
import { figureOf, report } from "./report.ts";
import { dropLogs, runScenario } from "./scenarios/run-scenario.ts";

/**
 * `npm run chaos` runs one scenario, prints its table, and records a run at full size. It exits with 1 when a promise did not
 * hold.
 */
const options = readCommandLine(process.argv.slice(2));
process.exitCode = options !== undefined && (await runAndReport(options)) ? 0 : 1;
// A half-open connection must not keep the finished process running.
process.exit();

async function runAndReport({ scenario, keep, ...given }: ChaosOptions): Promise<boolean> {
  const claim = findClaim(scenario, given);
  const record = claim && startMeasurement({ ...claim, command: `${claim.command}${sizeText(scenario, given)}` });
  const { outcome, seconds } = await runScenario(scenario, given);
  const isHeld = report({ run: scenario, seed: given.seed, seconds }, outcome);
  const figure = figureOf({ seed: given.seed, seconds }, outcome);
  await record?.({ figure, n: outcome.n, holds: isHeld });
  if (isHeld && !keep) dropLogs(scenario, given);
  return isHeld;
}
