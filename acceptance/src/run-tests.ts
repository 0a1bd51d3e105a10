import { Check, Mismatch } from "./check.ts";
import { sectionOf } from "./requirement.ts";
import { MissingOption } from "./run-context.ts";
import type { Suite, Test, TestContext } from "./suite.ts";

export type Outcome =
  | { kind: "passed" }
  | { kind: "failed"; what: string; expected?: unknown; got?: unknown }
  | { kind: "skipped"; reason: string };

export type Results = Map<string, Outcome>;

/** Tests mostly wait for the deployment, so many run concurrently. */
const concurrency = 16;

/** Selects requirements by number, and sections with their subsections. An empty list selects everything. */
export function selectNumbers(suite: Suite, only: string[]): string[] {
  const isSelected = (number: string) =>
    only.length === 0 ||
    only.some((wanted) => number === wanted || sectionOf(number) === wanted || number.startsWith(`${wanted}.`));
  return [...suite.requirements.keys()].filter(isSelected);
}

export async function runTests(
  suite: Suite,
  numbers: string[],
  context: TestContext,
  onSection: (remaining: number, section: string) => void,
): Promise<Results> {
  const results: Results = new Map(numbers.map((number) => [number, { kind: "skipped", reason: "has no test" }]));
  // The suite starts with the last tests: the rate limits take a minute, and all other tests finish in that time.
  const queue = numbers
    .filter((number) => suite.tests.has(number))
    .toReversed()
    .values();
  const remaining = new Set(numbers);
  const runQueue = async () => {
    for (const number of queue) {
      const test = suite.tests.get(number);
      if (test === undefined) continue;
      const outcome = await runTest(test, context);
      results.set(number, outcome);
      remaining.delete(number);
      const section = sectionOf(number);
      if (![...remaining].some((other) => sectionOf(other) === section)) onSection(remaining.size, section);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runQueue));
  return results;
}

export async function runTest(test: Test, context: TestContext): Promise<Outcome> {
  const check = new Check();
  try {
    await test(check, context);
  } catch (error) {
    if (error instanceof MissingOption) return { kind: "skipped", reason: error.message };
    if (error instanceof Mismatch)
      return { kind: "failed", what: error.message, expected: error.expected, got: error.got };
    return { kind: "failed", what: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  return check.count > 0 ? { kind: "passed" } : { kind: "failed", what: "the test asserted nothing" };
}
