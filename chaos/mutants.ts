import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { embeddedBinaries } from "../service/src/dev/embedded-postgres.ts";
import { startPrivatePostgres } from "../service/test/private-postgres.ts";
import { type Mutant, mutants } from "./mutants/mutants.ts";
import { findTypeErrors, runTests } from "./mutants/run-tests.ts";
import { copyTree, type TreeCopy } from "./mutants/tree-copy.ts";

/**
 * `npm run mutants`: takes one safety rule after the other out of a copy of the source; the tests must turn red for each,
 * by an assertion. `--only a,b` tries some of them. With TEST_REPORT it writes what `scripts/sum-tests.ts` adds up.
 */
const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",");
const unknown = wanted?.filter((name) => !mutants.some((mutant) => mutant.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`There is no mutant ${unknown.join(", ")}. Known: ${mutants.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const chosen = mutants.filter(({ name }) => wanted?.includes(name) ?? true);

interface Verdict {
  mutant: Mutant;
  /** The first test that noticed. */
  seenBy: string | undefined;
  broken: string[];
  seconds: number;
}

const started = performance.now();
const copy = copyTree();
const server = await startPrivatePostgres(await embeddedBinaries());
try {
  await requireSoundStart(copy);
  const verdicts: Verdict[] = [];
  for (const mutant of chosen) {
    const verdict = await judge(copy, mutant);
    tell(verdict);
    verdicts.push(verdict);
  }
  const survivors = verdicts.filter(({ seenBy }) => seenBy === undefined);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`\n${verdicts.length - survivors.length} of ${verdicts.length} mutants seen, in ${seconds} s`);
  if (process.env.TEST_REPORT !== undefined) writeFileSync(process.env.TEST_REPORT, JSON.stringify(asTests(verdicts)));
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  copy.remove();
}

/** Otherwise red would mean nothing: the tests are green without a mutant, and every mutant is a program. */
async function requireSoundStart({ folder, apply }: TreeCopy): Promise<void> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  console.log(`→ without a mutant: ${files.length} test files`);
  const { passed, asserted, broken } = await runTests(folder, files, server.url);
  if (passed === 0 || asserted.length + broken.length > 0) {
    throw new Error(`The tests are not green without a mutant:\n${[...asserted, ...broken].join("\n")}`);
  }
  console.log(`✓ ${passed} tests are green\n→ the types of all ${chosen.length} mutants together`);
  const putBack = chosen.map((mutant) => apply(mutant));
  const errors = await findTypeErrors(folder);
  for (const one of putBack.toReversed()) one();
  if (errors !== undefined) throw new Error(`A mutant is no program:\n${errors}`);
  console.log("✓ they are programs\n");
}

async function judge({ folder, apply }: TreeCopy, mutant: Mutant): Promise<Verdict> {
  const begun = performance.now();
  const putBack = apply(mutant);
  const { asserted, broken } = await runTests(folder, mutant.tests, server.url);
  putBack();
  return { mutant, seenBy: asserted[0], broken, seconds: (performance.now() - begun) / 1000 };
}

function tell({ mutant, seenBy, broken, seconds }: Verdict): void {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const seen = seenBy ?? `SURVIVED: ${mutant.wrong}. ${broken[0]?.slice(0, 300) ?? "All its tests are green."}`;
  console.log(
    `${seenBy === undefined ? "✗" : "✓"} ${mutant.name.padEnd(width)} ${seconds.toFixed(1).padStart(5)} s  ${seen}`,
  );
}

function asTests(verdicts: Verdict[]) {
  const assertionResults = verdicts.map(({ mutant, seenBy, broken }) => ({
    fullName: `the tests notice when ${mutant.wrong} (${mutant.name})`,
    status: seenBy === undefined ? "failed" : "passed",
    failureMessages: seenBy === undefined ? [broken[0] ?? "All its tests are green."] : [],
  }));
  const numFailedTests = assertionResults.filter(({ status }) => status === "failed").length;
  return {
    numPassedTests: assertionResults.length - numFailedTests,
    numFailedTests,
    testResults: [{ name: "mutants", status: numFailedTests === 0 ? "passed" : "failed", assertionResults }],
  };
}
