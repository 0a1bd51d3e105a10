import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface TestRun {
  passed: number;
  /** Tests that failed by an assertion. */
  asserted: string[];
  /** Tests that threw another error, and files that could not be loaded. */
  broken: string[];
}

interface Report {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** Runs test files of the copy on a PostgreSQL that is already running. */
export async function runTests(folder: string, files: string[], databaseUrl: string): Promise<TestRun> {
  const report = join(folder, "mutant-report.json");
  rmSync(report, { force: true });
  const { output } = await runIn(folder, "vitest", ["run", ...files], {
    TEST_DATABASE_URL: databaseUrl,
    TEST_REPORT: report,
  });
  if (!existsSync(report)) throw new Error(`vitest wrote no report:\n${output.slice(-2000)}`);
  return readRun(JSON.parse(readFileSync(report, "utf8")));
}

function readRun({ numPassedTests, testResults }: Report): TestRun {
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
  const hasAsserted = ({ failureMessages }: (typeof failed)[number]) =>
    failureMessages.some((message) => message.startsWith("AssertionError"));
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.every((one) => one.status !== "failed"),
  );
  return {
    passed: numPassedTests,
    asserted: failed.filter(hasAsserted).map(({ fullName }) => fullName),
    broken: [
      ...failed
        .filter((one) => !hasAsserted(one))
        .map(({ fullName, failureMessages: [why = ""] }) => `${fullName}: ${why}`),
      ...unloaded.map(({ name, message }) => `${name}: ${message}`),
    ],
  };
}

/** Type-checks the copy as it is now. Returns the errors, if any. */
export async function findTypeErrors(folder: string): Promise<string | undefined> {
  const { code, output } = await runIn(folder, "tsc", []);
  return code === 0 ? undefined : output;
}

async function runIn(folder: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(join(folder, "node_modules", ".bin", program), args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code, output: `${stdout}${stderr}` };
}
