import { writeFileSync } from "node:fs";
import { contract } from "./contract.ts";
import { listText, reportText, totalsOf } from "./report.ts";
import { runTests, selectNumbers } from "./run-tests.ts";
import { help, readSettings, type Settings, UsageError } from "./settings.ts";
import { openWorld } from "./world.ts";

const say = (text: string) => void process.stdout.write(text);

try {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === "help") say(`${help}\n`);
  else if (settings === "list") {
    say(listText(contract));
    process.exitCode = contract.gaps.length === 0 ? 0 : 1;
  } else process.exitCode = (await isKept(settings)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${help}\n`);
  process.exitCode = 2;
}

async function isKept(settings: Settings): Promise<boolean> {
  const numbers = selectNumbers(contract, settings.only);
  if (numbers.length === 0) throw new UsageError(`There is no sentence for --only ${settings.only.join(",")}.`);
  const world = await openWorld(settings);
  const begunAt = performance.now();
  say(`${numbers.length} sentences against ${settings.baseUrl}\n`);
  try {
    const results = await runTests(contract, numbers, world, (left, section) => {
      say(
        `  section ${section} done after ${((performance.now() - begunAt) / 1000).toFixed(0)} s, ${left} sentences left\n`,
      );
    });
    say(reportText(contract, results));
    const { passed, failed, notShown } = totalsOf(results);
    const missing = settings.allowMissing ? 0 : notShown;
    const broken = failed + missing + contract.gaps.length;
    if (settings.reportFile !== undefined) {
      writeFileSync(settings.reportFile, JSON.stringify({ numPassedTests: passed, numFailedTests: broken }));
    }
    return broken === 0;
  } finally {
    for (const left of await world.cleanUp()) process.stderr.write(`left behind: ${left}\n`);
  }
}
