import type { Check } from "./check.ts";
import type { Sentence, SentenceTable } from "./sentence.ts";
import type { World } from "./world.ts";

/** Shows that one sentence holds; throws when it does not. */
export type Test = (check: Check, world: World) => Promise<void>;
export type Tests = Record<string, Test>;

export interface Suite {
  sentences: Map<string, Sentence>;
  tests: Map<string, Test>;
  /** What keeps the tables from matching one to one; a run with gaps is red. */
  gaps: string[];
}

export function joinSuite(tables: SentenceTable[], testTables: Tests[]): Suite {
  const sentences = new Map<string, Sentence>();
  const tests = new Map<string, Test>();
  const gaps: string[] = [];
  for (const [number, sentence] of tables.flatMap((table) => Object.entries(table))) {
    if (sentences.has(number)) gaps.push(`${number}: two sentences have this number`);
    sentences.set(number, typeof sentence === "string" ? { says: sentence } : sentence);
  }
  for (const [number, test] of testTables.flatMap((table) => Object.entries(table))) {
    if (tests.has(number)) gaps.push(`${number}: two tests have this number`);
    if (!sentences.has(number)) gaps.push(`${number}: a test for a sentence that is not in the table`);
    tests.set(number, test);
  }
  for (const number of sentences.keys()) {
    if (!tests.has(number)) gaps.push(`${number}: a sentence without a test`);
  }
  return { sentences, tests, gaps };
}
