import { expect, test } from "vitest";
import { nextDelaySeconds, throttledDelaySeconds } from "./retry-schedule.ts";

const day = 86_400;
const noVariation = () => 0.5;

test("a send is retried after 5 s, 30 s, 2 min, 10 min, 30 min and then every hour", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 30].map((backoffStep) =>
    nextDelaySeconds({ backoffStep, retryingSeconds: 1 }, day, noVariation),
  );
  expect(delays).toEqual([5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600]);
});

test("delays vary by up to a fifth in both directions", () => {
  const first = { backoffStep: 1, retryingSeconds: null };
  expect(nextDelaySeconds(first, day, () => 0)).toBeCloseTo(24);
  expect(nextDelaySeconds(first, day, () => 1)).toBeCloseTo(36);
});

test("the last retry is at the end of the retry window, and there is none after it", () => {
  const retriedFor = (retryingSeconds: number) => ({ backoffStep: 9, retryingSeconds });
  expect(nextDelaySeconds(retriedFor(day - 100), day, noVariation)).toBe(100);
  expect(nextDelaySeconds(retriedFor(day), day, noVariation)).toBeUndefined();
  expect(nextDelaySeconds(retriedFor(2 * day), day, noVariation)).toBeUndefined();
});

test("a throttled send waits one to three seconds", () => {
  expect([throttledDelaySeconds(() => 0), throttledDelaySeconds(() => 1)]).toEqual([1, 3]);
});
