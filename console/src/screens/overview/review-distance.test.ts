import { describe, expect, test } from "vitest";
import { bounceLines, complaintLines, countToLine, evaluateRate, isAbove } from "./review-distance.ts";

test("31 hard bounces left at 144 of 3,460 outcomes: the 31st takes the rate above 5 %", () => {
  expect(evaluateRate(144, 3460, bounceLines)).toMatchObject({ state: "below", left: 31, isClose: true });
  expect(isAbove(144 + 30, 3460 + 30, 20)).toBe(false);
  expect(isAbove(144 + 31, 3460 + 31, 20)).toBe(true);
});

test("a complaint adds no outcome: 2 left at 2 of 3,460", () => {
  expect(evaluateRate(2, 3460, complaintLines)).toMatchObject({ state: "below", left: 2 });
  expect([isAbove(3, 3460, 1000), isAbove(4, 3460, 1000)]).toEqual([false, true]);
});

test("no verdict below 200 outcomes, however many bounced", () => {
  expect(evaluateRate(199, 199, bounceLines)).toEqual({ state: "unknown", outcomesMissing: 1 });
  expect(evaluateRate(0, 0, complaintLines)).toEqual({ state: "unknown", outcomesMissing: 200 });
});

test("exactly on a line is not above it", () => {
  expect(evaluateRate(10, 200, bounceLines)).toMatchObject({ state: "below", left: 1 });
  expect(evaluateRate(11, 200, bounceLines)).toMatchObject({ state: "review" });
  expect(evaluateRate(20, 200, bounceLines)).toMatchObject({ state: "review", left: 1 });
  expect(evaluateRate(21, 200, bounceLines)).toMatchObject({ state: "pause" });
});

test("far below the review line is not close to it", () => {
  expect(evaluateRate(40, 1000, bounceLines)).toMatchObject({ isClose: false });
  expect(evaluateRate(41, 1000, bounceLines)).toMatchObject({ isClose: true });
});

describe("the count to a line is the smallest that crosses it", () => {
  const cases = [20, 10, 1000, 200].flatMap((oneIn) =>
    [true, false].flatMap((grows) =>
      [
        [0, 200],
        [1, 250],
        [10, 200],
        [144, 3460],
        [999, 20_001],
        [7, 10_000_000],
      ].map(([count = 0, outcomes = 0]) => ({ count, outcomes, oneIn, grows })),
    ),
  );
  test.for(cases)("$count of $outcomes, one in $oneIn, grows $grows", ({ count, outcomes, oneIn, grows }) => {
    const left = countToLine(count, outcomes, oneIn, grows);
    const after = (more: number) => isAbove(count + more, outcomes + (grows ? more : 0), oneIn);
    expect(after(left)).toBe(true);
    if (left > 0) expect(after(left - 1)).toBe(false);
  });
});
