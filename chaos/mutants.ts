import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startMeasurement } from "../scripts/evidence/measurement.ts";
import { embeddedBinaries } from "../service/src/dev/postgres/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { mutantsClaim } from "./claims.ts";
import { type Mutant, mutants } from "./mutants/mutants.ts";
import { findTypeErrors, runTests } from "./mutants/run-tests.ts";
import { copyTree, type TreeCopy } from "./mutants/tree-copy.ts";

/**
 * `npm run mutants` removes one safety rule at a time from a copy of the source; for each, an assertion of its tests must
 * fail. `--only a,b` runs some mutants; a run of all is recorded in docs/evidence.json. With TEST_REPORT it writes a report for `scripts/sum-tests.ts`.
 */
const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",");
const unknown = wanted?.filter((name) => !mutants.some((mutant) => mutant.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no mutant ${unknown.join(", ")}. Known: ${mutants.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const chosen = mutants.filter(({ name }) => wanted?.includes(name) ?? true);

interface MutantResult {
  mutant: Mutant;
  /** The first test that failed by an assertion. */
  detectedBy: string | undefined;
  broken: string[];
  seconds: number;
}

const started = performance.now();
const record = wanted === undefined ? startMeasurement(mutantsClaim) : undefined;
const copy = copyTree();
const server = await startPrivatePostgres(await embeddedBinaries());
try {
  await requireSoundStart(copy);
  const results: MutantResult[] = [];
  for (const mutant of chosen) {
    const result = await testMutant(copy, mutant);
    print(result);
    results.push(result);
  }
  const survivors = results.filter(({ detectedBy }) => detectedBy === undefined);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`\n${results.length - survivors.length} of ${results.length} mutants detected, in ${seconds} s`);
  if (process.env.TEST_REPORT !== undefined) writeFileSync(process.env.TEST_REPORT, JSON.stringify(asTests(results)));
  process.exitCode = survivors.length === 0 ? 0 : 1;
  await record?.({
    figure: [
      `${results.length - survivors.length} of ${results.length} mutants detected`,
      ...survivors.map(({ mutant }) => `${mutant.name} survived: ${mutant.wrong}`),
    ],
    n: results.length,
    holds: survivors.length === 0,
  });
} finally {
  await server.stop();
  copy.remove();
}

/** Checks that the tests pass without a mutant and that every mutant compiles. Otherwise a failing test proves nothing. */
async function requireSoundStart({ folder, apply }: TreeCopy): Promise<void> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  console.log(`→ ${files.length} test files without a mutant`);
  const { passed, asserted, broken } = await runTests(folder, files, server.url);
  if (passed === 0 || asserted.length + broken.length > 0) {
    throw new Error(`The tests fail without a mutant:\n${[...asserted, ...broken].join("\n")}`);
  }
  console.log(`✓ ${passed} tests pass\n→ type check with all ${chosen.length} mutants applied`);
  const restore = chosen.map((mutant) => apply(mutant));
  const errors = await findTypeErrors(folder);
  for (const restoreOne of restore.toReversed()) restoreOne();
  if (errors !== undefined) throw new Error(`A mutant does not compile:\n${errors}`);
  console.log("✓ all mutants compile\n");
}

async function testMutant({ folder, apply }: TreeCopy, mutant: Mutant): Promise<MutantResult> {
  const begun = performance.now();
  const restore = apply(mutant);
  const { asserted, broken } = await runTests(folder, mutant.tests, server.url);
  restore();
  return { mutant, detectedBy: asserted[0], broken, seconds: (performance.now() - begun) / 1000 };
}

function print({ mutant, detectedBy, broken, seconds }: MutantResult): void {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const text = detectedBy ?? `SURVIVED: ${mutant.wrong}. ${broken[0]?.slice(0, 300) ?? "All its tests pass."}`;
  console.log(
    `${detectedBy === undefined ? "✗" : "✓"} ${mutant.name.padEnd(width)} ${seconds.toFixed(1).padStart(5)} s  ${text}`,
  );
}

function asTests(results: MutantResult[]) {
  const assertionResults = results.map(({ mutant, detectedBy, broken }) => ({
    fullName: `the tests detect that ${mutant.wrong} (${mutant.name})`,
    status: detectedBy === undefined ? "failed" : "passed",
    failureMessages: detectedBy === undefined ? [broken[0] ?? "All its tests pass."] : [],
  }));
  const numFailedTests = assertionResults.filter(({ status }) => status === "failed").length;
  return {
    numPassedTests: assertionResults.length - numFailedTests,
    numFailedTests,
    testResults: [{ name: "mutants", status: numFailedTests === 0 ? "passed" : "failed", assertionResults }],
  };
}
