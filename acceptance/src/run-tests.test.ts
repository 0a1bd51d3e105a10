import { expect, test } from "vitest";
import { reportText } from "./report.ts";
import { MissingOption } from "./run-context.ts";
import { runTests, selectNumbers } from "./run-tests.ts";
import { joinSuite, type Test, type TestContext } from "./suite.ts";

// The tests below use no deployment.
const context = {} as TestContext;

async function outcomeOf(one: Test) {
  const results = await runTests(
    joinSuite([{ "1-01": "A says b" }], [{ "1-01": one }]),
    ["1-01"],
    context,
    () => undefined,
  );
  return results.get("1-01");
}

test("a test without assertions fails", async () => {
  expect(await outcomeOf(async () => undefined)).toEqual({ kind: "failed", what: "the test asserted nothing" });
});

test("a test whose assertions hold passes", async () => {
  expect(await outcomeOf(async (check) => check.equal("one", 1, 1))).toEqual({ kind: "passed" });
});

test("a failed assertion reports the expected and the actual value", async () => {
  const failing: Test = async (check) => check.fields("an answer", { id: 1, extra: 2 }, ["id"]);
  const expected = { kind: "failed", what: "the fields of an answer", expected: ["id"], got: ["extra", "id"] };
  expect(await outcomeOf(failing)).toEqual(expected);
});

test("a test that throws another error fails", async () => {
  const throwing: Test = () => Promise.reject(new Error("no connection"));
  expect(await outcomeOf(throwing)).toMatchObject({ kind: "failed", what: expect.stringContaining("no connection") });
});

test("a test without a required option is skipped, and neither passes nor fails", async () => {
  const skipped: Test = () => Promise.reject(new MissingOption("--other-email"));
  expect(await outcomeOf(skipped)).toEqual({ kind: "skipped", reason: "needs --other-email" });
});

test("a requirement without a test does not pass", async () => {
  const results = await runTests(joinSuite([{ "1-01": "a" }], []), ["1-01"], context, () => undefined);
  expect(results.get("1-01")).toEqual({ kind: "skipped", reason: "has no test" });
});

test("a selection accepts numbers, and sections with their subsections", () => {
  const suite = joinSuite([{ "4-01": "a", "4.1-01": "b", "4.10-01": "c", "5-01": "d" }], []);
  expect(selectNumbers(suite, ["4"])).toEqual(["4-01", "4.1-01", "4.10-01"]);
  expect(selectNumbers(suite, ["4.1", "5-01"])).toEqual(["4.1-01", "5-01"]);
  expect(selectNumbers(suite, [])).toHaveLength(4);
});

test("the report names the failed requirement with the expected and the actual value, and ends with the totals", async () => {
  const suite = joinSuite(
    [{ "1-01": "A says b", "2.1-01": "C says d" }],
    [{ "1-01": async (check) => check.equal("b", "x", "b"), "2.1-01": async (check) => check.equal("d", 1, 1) }],
  );
  const text = reportText(suite, await runTests(suite, ["1-01", "2.1-01"], context, () => undefined));
  expect(text).toContain("✗ 1-01  A says b\n    b\n    expected  b\n    got       x\n");
  expect(text).toMatch(/^1 +1 +0 +1 +0$/m);
  expect(text).toMatch(/^2\.1 +1 +1 +0 +0$/m);
  expect(text).toMatch(/2 requirements: 1 passed, 1 failed, 0 skipped\n$/);
});
