import { writeFileSync } from "node:fs";
import { points } from "./matrix/points.ts";
import { runMatrix } from "./matrix/run-matrix.ts";
import { report } from "./report.ts";
import { runScenario } from "./scenarios/run-scenario.ts";
import type { Outcome } from "./scenarios/scenario.ts";

/**
 * `npm run chaos:short`, for CI: all kinds of kills under load, and one kill at every crash point that a send passes. The two
 * run concurrently, because both wait for leases to expire. With TEST_REPORT it writes a report for `scripts/sum-tests.ts`.
 */
const seed = Date.now() % 1_000_000;
const options = {
  seed,
  sends: 400,
  perSecond: 10,
  faults: 8,
  faultSeconds: 0,
  sendEvents: "on",
  policy: "resend",
} as const;
const passedBySends = points.filter(({ trigger }) => trigger === "send" || trigger === "accept");

const [killed, matrix] = await Promise.all([runScenario("mixed", options), runMatrix(1, passedBySends)]);
const isHeld = [
  report({ run: "mixed", seed, seconds: killed.seconds }, killed.outcome),
  report({ run: "matrix", seconds: matrix.seconds }, matrix.outcome),
].every((held) => held);
if (process.env.TEST_REPORT !== undefined) {
  writeFileSync(process.env.TEST_REPORT, JSON.stringify(asTests({ mixed: killed.outcome, matrix: matrix.outcome })));
}
process.exitCode = isHeld ? 0 : 1;
process.exit();

/** Reports each promise of a table as a test. */
function asTests(outcomes: Record<string, Outcome>) {
  const testResults = Object.entries(outcomes).map(([name, { findings }]) => ({
    name: `chaos ${name} (seed ${seed})`,
    status: findings.every(({ holds }) => holds !== false) ? "passed" : "failed",
    assertionResults: findings
      .filter(({ holds }) => holds !== undefined)
      .map(({ what, value, holds }) => ({
        fullName: what,
        status: holds ? "passed" : "failed",
        failureMessages: [`${what}: ${value}`],
      })),
  }));
  const statuses = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  return {
    numPassedTests: statuses.filter((status) => status === "passed").length,
    numFailedTests: statuses.filter((status) => status === "failed").length,
    testResults,
  };
}
