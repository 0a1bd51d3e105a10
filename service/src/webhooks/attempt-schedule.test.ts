import { expect, test } from "vitest";
import { maxAttempts, nextAttemptSeconds, soonerAttemptSeconds } from "./attempt-schedule.ts";

const middle = () => 0.5;

test("eleven attempts are spread over about three days", () => {
  const waits = Array.from({ length: maxAttempts }, (_, index) => nextAttemptSeconds(index + 1, undefined, middle));
  expect(maxAttempts).toBe(11);
  expect(waits).toEqual([5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, undefined]);
});

test("each wait varies by a fifth", () => {
  expect(nextAttemptSeconds(2, undefined, () => 0)).toBe(48);
  expect(nextAttemptSeconds(2, undefined, () => 1)).toBeCloseTo(72);
});

test.for([
  [59, 60],
  [60, 60],
  [90, 90],
  [120, 120],
  [121, 60],
  [86_400, 60],
])("a Retry-After of %i s before a step of 60 s means a wait of %i s", ([retryAfter, wait]) => {
  expect(nextAttemptSeconds(2, retryAfter, middle)).toBe(wait);
});

test("a Retry-After does not add an attempt", () => {
  expect(nextAttemptSeconds(maxAttempts, 86_400)).toBeUndefined();
});

test("when the endpoint is not the cause the next attempt is at most a minute away, and the last attempt stays the last", () => {
  expect(soonerAttemptSeconds(1, middle)).toBe(5);
  expect(soonerAttemptSeconds(9, middle)).toBe(60);
  expect(soonerAttemptSeconds(maxAttempts)).toBeUndefined();
});
