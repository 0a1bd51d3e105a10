import { Check, Mismatch } from "./check.ts";
import { sectionOf } from "./sentence.ts";
import type { Suite, Test } from "./suite.ts";
import { NotGiven, type World } from "./world.ts";

export type Outcome =
  | { kind: "passed" }
  | { kind: "failed"; what: string; expected?: unknown; got?: unknown }
  | { kind: "not-shown"; why: string };

export type Results = Map<string, Outcome>;

/** Tests mostly wait for the deployment, so several may wait at a time. */
const lanes = 16;

/** An empty list selects everything; else numbers, and sections with all that is in them. */
export function selectNumbers(suite: Suite, only: string[]): string[] {
  const isSelected = (number: string) =>
    only.length === 0 ||
    only.some((wanted) => number === wanted || sectionOf(number) === wanted || number.startsWith(`${wanted}.`));
  return [...suite.sentences.keys()].filter(isSelected);
}

export async function runTests(
  suite: Suite,
  numbers: string[],
  world: World,
  onSection: (left: number, section: string) => void,
): Promise<Results> {
  const results: Results = new Map(numbers.map((number) => [number, { kind: "not-shown", why: "has no test" }]));
  // The last first: the rate limits take a minute, in which everything else has time.
  const waiting = numbers
    .filter((number) => suite.tests.has(number))
    .toReversed()
    .values();
  const left = new Set(numbers);
  const runLane = async () => {
    for (const number of waiting) {
      const test = suite.tests.get(number);
      if (test === undefined) continue;
      const outcome = await runTest(test, world);
      results.set(number, outcome);
      left.delete(number);
      const section = sectionOf(number);
      if (![...left].some((other) => sectionOf(other) === section)) onSection(left.size, section);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  return results;
}

export async function runTest(test: Test, world: World): Promise<Outcome> {
  const check = new Check();
  try {
    await test(check, world);
  } catch (error) {
    if (error instanceof NotGiven) return { kind: "not-shown", why: error.message };
    if (error instanceof Mismatch)
      return { kind: "failed", what: error.message, expected: error.expected, got: error.got };
    return { kind: "failed", what: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  return check.count > 0 ? { kind: "passed" } : { kind: "failed", what: "the test asserted nothing" };
}
