import { expect, test } from "vitest";
import { nextDelaySeconds, throttledDelaySeconds } from "./retry-schedule.ts";

const day = 86_400;
const unvaried = () => 0.5;

test("a send is tried again after 5 s, 30 s, 2 min, 10 min, 30 min and then every hour", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 30].map((backoffStep) =>
    nextDelaySeconds({ backoffStep, retryingSeconds: 1 }, day, unvaried),
  );
  expect(delays).toEqual([5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600]);
});

test("delays vary by a fifth", () => {
  const first = { backoffStep: 1, retryingSeconds: null };
  expect(nextDelaySeconds(first, day, () => 0)).toBeCloseTo(24);
  expect(nextDelaySeconds(first, day, () => 1)).toBeCloseTo(36);
});

test("the last try falls on the end of the patience, and after it is given up", () => {
  const patience = (retryingSeconds: number) => ({ backoffStep: 9, retryingSeconds });
  expect(nextDelaySeconds(patience(day - 100), day, unvaried)).toBe(100);
  expect(nextDelaySeconds(patience(day), day, unvaried)).toBeUndefined();
  expect(nextDelaySeconds(patience(2 * day), day, unvaried)).toBeUndefined();
});

test("throttled mail waits one to three seconds", () => {
  expect([throttledDelaySeconds(() => 0), throttledDelaySeconds(() => 1)]).toEqual([1, 3]);
});
