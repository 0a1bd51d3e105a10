import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults?: File[];
}

interface File {
  name: string;
  status: string;
  message?: string;
  assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
}

/** Prints what failed and, as the last line, the total CI reads; a run without tests is a failure. */
const [folder = ""] = process.argv.slice(2);
const reports = globSync(join(folder, "*.json")).map((file) => {
  const report: Report = JSON.parse(readFileSync(file, "utf8"));
  return { run: basename(file, ".json"), ...report };
});
for (const { run, testResults = [] } of reports) for (const file of testResults) tellFailures(run, file);
const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0);
const failed = reports.reduce((sum, report) => sum + report.numFailedTests, 0);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;

/** Again, because of a long run often only the end is kept. */
function tellFailures(run: string, file: File): void {
  const failures = file.assertionResults.filter(({ status }) => status === "failed");
  for (const { fullName, failureMessages = [] } of failures)
    tell(run, `${file.name} > ${fullName}`, failureMessages[0]);
  if (file.status === "failed" && failures.length === 0) tell(run, file.name, file.message);
}

function tell(run: string, what: string, why = ""): void {
  console.log(`failed in ${run}: ${what}\n${why.split("\n").slice(0, 12).join("\n")}\n`);
}
