import type { Check } from "./check.ts";
import type { Fixtures } from "./fixtures.ts";
import type { Requirement, RequirementTable } from "./requirement.ts";
import type { RunContext } from "./run-context.ts";

export interface TestContext extends RunContext {
  fixtures: Fixtures;
}

/** Checks one requirement and throws when the deployment does not meet it. */
export type Test = (check: Check, context: TestContext) => Promise<void>;
export type Tests = Record<string, Test>;

export interface Suite {
  requirements: Map<string, Requirement>;
  tests: Map<string, Test>;
  /** Requirements and tests that do not match one to one. Any gap fails the run. */
  gaps: string[];
}

export function joinSuite(tables: RequirementTable[], testTables: Tests[]): Suite {
  const requirements = new Map<string, Requirement>();
  const tests = new Map<string, Test>();
  const gaps: string[] = [];
  for (const [number, requirement] of tables.flatMap((table) => Object.entries(table))) {
    if (requirements.has(number)) gaps.push(`${number}: two requirements have this number`);
    requirements.set(number, typeof requirement === "string" ? { text: requirement } : requirement);
  }
  for (const [number, test] of testTables.flatMap((table) => Object.entries(table))) {
    if (tests.has(number)) gaps.push(`${number}: two tests have this number`);
    if (!requirements.has(number)) gaps.push(`${number}: the test has no requirement in the table`);
    tests.set(number, test);
  }
  for (const number of requirements.keys()) {
    if (!tests.has(number)) gaps.push(`${number}: the requirement has no test`);
  }
  return { requirements, tests, gaps };
}
