import { expect, test } from "vitest";
import { reportText } from "./report.ts";
import { runTests, selectNumbers } from "./run-tests.ts";
import { joinSuite, type Test } from "./suite.ts";
import { NotGiven, type World } from "./world.ts";

/** None of these tests looks at a deployment. */
const world = {} as World;

async function outcomeOf(one: Test) {
  const results = await runTests(
    joinSuite([{ "1-01": "A says b" }], [{ "1-01": one }]),
    ["1-01"],
    world,
    () => undefined,
  );
  return results.get("1-01");
}

test("a test that asserts nothing fails", async () => {
  expect(await outcomeOf(async () => undefined)).toEqual({ kind: "failed", what: "the test asserted nothing" });
});

test("a test that asserts what holds passes", async () => {
  expect(await outcomeOf(async (check) => check.equal("one", 1, 1))).toEqual({ kind: "passed" });
});

test("a test that finds otherwise fails with what was expected and what was there", async () => {
  const failing: Test = async (check) => check.fields("an answer", { id: 1, extra: 2 }, ["id"]);
  const expected = { kind: "failed", what: "the fields of an answer", expected: ["id"], got: ["extra", "id"] };
  expect(await outcomeOf(failing)).toEqual(expected);
});

test("a test that breaks fails", async () => {
  const breaking: Test = () => Promise.reject(new Error("no connection"));
  expect(await outcomeOf(breaking)).toMatchObject({ kind: "failed", what: expect.stringContaining("no connection") });
});

test("a test that lacks something given is not shown, and neither passed nor failed", async () => {
  const lacking: Test = () => Promise.reject(new NotGiven("--other-email"));
  expect(await outcomeOf(lacking)).toEqual({ kind: "not-shown", why: "needs --other-email" });
});

test("a sentence without a test does not pass", async () => {
  const results = await runTests(joinSuite([{ "1-01": "a" }], []), ["1-01"], world, () => undefined);
  expect(results.get("1-01")).toEqual({ kind: "not-shown", why: "has no test" });
});

test("a selection takes numbers, and sections with their parts", () => {
  const suite = joinSuite([{ "4-01": "a", "4.1-01": "b", "4.10-01": "c", "5-01": "d" }], []);
  expect(selectNumbers(suite, ["4"])).toEqual(["4-01", "4.1-01", "4.10-01"]);
  expect(selectNumbers(suite, ["4.1", "5-01"])).toEqual(["4.1-01", "5-01"]);
  expect(selectNumbers(suite, [])).toHaveLength(4);
});

test("the report names the sentence, what was expected and what was there, and ends with the total", async () => {
  const suite = joinSuite(
    [{ "1-01": "A says b", "2.1-01": "C says d" }],
    [{ "1-01": async (check) => check.equal("b", "x", "b"), "2.1-01": async (check) => check.equal("d", 1, 1) }],
  );
  const text = reportText(suite, await runTests(suite, ["1-01", "2.1-01"], world, () => undefined));
  expect(text).toContain("✗ 1-01  A says b\n    b\n    expected  b\n    got       x\n");
  expect(text).toMatch(/^1 +1 +0 +1 +0$/m);
  expect(text).toMatch(/^2\.1 +1 +1 +0 +0$/m);
  expect(text).toMatch(/2 sentences: 1 passed, 1 failed, 0 not shown\n$/);
});
