import { expect, test } from "vitest";
import { contract } from "./contract.ts";
import { joinSuite } from "./suite.ts";

const passing = async () => undefined;

test("every sentence has a test and every test a sentence", () => {
  expect(contract.gaps).toEqual([]);
  expect(contract.sentences.size).toBeGreaterThan(200);
});

test("a sentence without a test is a gap", () => {
  expect(joinSuite([{ "1-01": "a", "1-02": "b" }], [{ "1-01": passing }]).gaps).toEqual([
    "1-02: a sentence without a test",
  ]);
});

test("a test for an unknown sentence is a gap", () => {
  expect(joinSuite([{ "1-01": "a" }], [{ "1-01": passing, "1-03": passing }]).gaps).toEqual([
    "1-03: a test for a sentence that is not in the table",
  ]);
});

test("a number that is given twice is a gap, for sentences and for tests", () => {
  const twice = joinSuite([{ "1-01": "a" }, { "1-01": "b" }], [{ "1-01": passing }, { "1-01": passing }]);
  expect(twice.gaps).toEqual(["1-01: two sentences have this number", "1-01: two tests have this number"]);
});

test("every section from 2 to 8 of the interface, and each of their parts, is in the table", () => {
  const sections = new Set([...contract.sentences.keys()].map((number) => number.split("-")[0]));
  const parts = (section: number, count: number) =>
    Array.from({ length: count }, (_, part) => `${section}.${part + 1}`);
  const known = ["0", "1", "2", ...parts(2, 5), "3", "4", ...parts(4, 12), "5", "6", "7", "8", "9"];
  expect(sections).toEqual(new Set(known));
});
