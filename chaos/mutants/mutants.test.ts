import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";

test.for(mutants)("the source holds the text of mutant $name exactly once, and its tests exist", (mutant) => {
  const { file, from, to, tests } = mutant;
  expect(readFileSync(file, "utf8").split(from)).toHaveLength(2);
  expect(to).not.toBe(from);
  expect(tests.filter((path) => !existsSync(path))).toEqual([]);
});

test("each mutant has a unique name", () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
