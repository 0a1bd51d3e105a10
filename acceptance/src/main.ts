import { writeFileSync } from "node:fs";
import { contract } from "./contract.ts";
import { createFixtures } from "./fixtures.ts";
import { listText, reportText, totalsOf } from "./report.ts";
import { openRunContext } from "./run-context.ts";
import { runTests, selectNumbers } from "./run-tests.ts";
import { help, readSettings, type Settings, UsageError } from "./settings.ts";

const print = (text: string) => void process.stdout.write(text);

try {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === "help") print(`${help}\n`);
  else if (settings === "list") {
    print(listText(contract));
    process.exitCode = contract.gaps.length === 0 ? 0 : 1;
  } else process.exitCode = (await runSuite(settings)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${help}\n`);
  process.exitCode = 2;
}

/** Returns whether the deployment meets every selected requirement. */
async function runSuite(settings: Settings): Promise<boolean> {
  const numbers = selectNumbers(contract, settings.only);
  if (numbers.length === 0) throw new UsageError(`No requirement matches --only ${settings.only.join(",")}.`);
  const run = await openRunContext(settings);
  const context = { ...run, fixtures: createFixtures(run) };
  const startedAt = performance.now();
  print(`${numbers.length} requirements against ${settings.baseUrl}\n`);
  try {
    const results = await runTests(contract, numbers, context, (remaining, section) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      print(`  section ${section} done after ${seconds} s, ${remaining} requirements remaining\n`);
    });
    print(reportText(contract, results));
    const { passed, failed, skipped } = totalsOf(results);
    const failures = failed + (settings.allowMissing ? 0 : skipped) + contract.gaps.length;
    if (settings.reportFile !== undefined) {
      writeFileSync(settings.reportFile, JSON.stringify({ numPassedTests: passed, numFailedTests: failures }));
    }
    return failures === 0;
  } finally {
    for (const failure of await run.cleanUp()) process.stderr.write(`clean-up failed: ${failure}\n`);
  }
}
