import { expect, test } from "vitest";
import type { OperatorStatus } from "../operator-queries.ts";
import { holdLines } from "./hold-lines.ts";

const free = { mode: "live", hold: null, operator_hold: null, feedback: { gap: null } };
const statusOf = (facts: object) => ({ mail: [{ ...free, ...facts }] }) as unknown as OperatorStatus;

test("mail that goes out has no line", () => {
  expect(holdLines(statusOf({}))).toEqual([]);
});

test("a hold of SES says why and when a worker tries again", () => {
  const [line] = holdLines(statusOf({ hold: { reason: "quota", held_seconds: 600, next_try_seconds: 42 } }));
  expect(line?.title).toBe("SES holds all live mail, for 10\u00a0min.");
  expect(line?.text).toBe("The daily quota of SES is used up. A worker tries one send in 42\u00a0s.");
});

test("a hold of an operator shows the note, and missing reports are named", () => {
  const lines = holdLines(
    statusOf({ operator_hold: { held_seconds: 60, note: "a flood" }, feedback: { gap: "no-reports" } }),
  );
  expect(lines.map(({ text }) => text)).toEqual(["a flood", expect.stringContaining("outcome stays unknown")]);
});
