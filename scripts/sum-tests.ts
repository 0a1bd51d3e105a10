import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Prints the total over all test reports in a folder as the last line CI reads; a run without tests is a failure. */
const [folder = ""] = process.argv.slice(2);
const reports = globSync(join(folder, "*.json")).map((file): { numPassedTests: number; numFailedTests: number } =>
  JSON.parse(readFileSync(file, "utf8")),
);
const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0);
const failed = reports.reduce((sum, report) => sum + report.numFailedTests, 0);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
