import { expect, test } from "vitest";
import { contract } from "./contract.ts";
import { joinSuite } from "./suite.ts";

const passing = async () => undefined;

test("every requirement has a test and every test has a requirement", () => {
  expect(contract.gaps).toEqual([]);
  expect(contract.requirements.size).toBeGreaterThan(200);
});

test("a requirement without a test is a gap", () => {
  expect(joinSuite([{ "1-01": "a", "1-02": "b" }], [{ "1-01": passing }]).gaps).toEqual([
    "1-02: the requirement has no test",
  ]);
});

test("a test for an unknown requirement is a gap", () => {
  expect(joinSuite([{ "1-01": "a" }], [{ "1-01": passing, "1-03": passing }]).gaps).toEqual([
    "1-03: the test has no requirement in the table",
  ]);
});

test("a duplicate number is a gap, for requirements and for tests", () => {
  const twice = joinSuite([{ "1-01": "a" }, { "1-01": "b" }], [{ "1-01": passing }, { "1-01": passing }]);
  expect(twice.gaps).toEqual(["1-01: two requirements have this number", "1-01: two tests have this number"]);
});

test("the table covers every section of the interface, each of their subsections, and the additions", () => {
  const sections = new Set([...contract.requirements.keys()].map((number) => number.split("-")[0]));
  const subsections = (section: number, count: number) =>
    Array.from({ length: count }, (_, index) => `${section}.${index + 1}`);
  const known = [
    "0",
    "1",
    "2",
    ...subsections(2, 5),
    "3",
    "4",
    ...subsections(4, 12),
    "5",
    "6",
    "7",
    "8",
    "9",
    "10.1",
    "10.2",
    "10.3",
    "10.4",
    "10.5",
    "10.6",
    "10.7",
    "10.8",
  ];
  expect(sections).toEqual(new Set(known));
});
