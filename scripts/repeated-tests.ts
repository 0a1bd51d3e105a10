import { writeFileSync } from "node:fs";
import type { Reporter, TestCase } from "vitest/node";

/** Lists the tests that failed and passed when they were repeated, so that `sum-tests.ts` can name and limit them. */
export class RepeatedTests implements Reporter {
  readonly #file: string;
  readonly #names: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    writeFileSync(this.#file, this.#names.map((name) => `${name}\n`).join(""));
  }
}
