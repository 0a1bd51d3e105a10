import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mutationsClaim } from "../../scripts/evidence/acceptance-claims.ts";
import { startMeasurement } from "../../scripts/evidence/measurement.ts";
import { mutationCases } from "./mutation-cases.ts";

/** Of the failed tests; the first line of the figure has the number of all. */
const mostNamed = 5;

/**
 * `npm run acceptance:mutations` runs mutations.test.ts. Without arguments and without TEST_REPORT, which CI sets, it records
 * the result in docs/evidence.json.
 */
const given = process.argv.slice(2);
const isRecorded = given.length === 0 && process.env.TEST_REPORT === undefined;
const record = isRecorded ? startMeasurement(mutationsClaim) : undefined;
const folder = mkdtempSync(join(tmpdir(), "postern-mutations-"));
const reportFile = join(folder, "report.json");
const report = isRecorded ? { TEST_REPORT: reportFile } : {};
const { status } = spawnSync("npx", ["--no-install", "vitest", "run", "acceptance/mutations/", ...given], {
  stdio: "inherit",
  env: { ...process.env, ...report },
});
process.exitCode = status ?? 1;
await record?.(readReport());
rmSync(folder, { recursive: true });

interface Report {
  numPassedTests: number;
  testResults: { assertionResults: { status: string; title: string }[] }[];
}

function readReport() {
  const faults = mutationCases.length;
  const { numPassedTests, testResults }: Report = JSON.parse(readFileSync(reportFile, "utf8"));
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status: result }) => result === "failed").map(({ title }) => `failed: ${title}`),
  );
  return {
    figure: [`${numPassedTests} of ${faults} faults detected`, ...failed.slice(0, mostNamed)],
    n: faults,
    holds: numPassedTests === faults,
  };
}
