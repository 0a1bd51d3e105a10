import { expect, test } from "vitest";
import { forecastText, secondsAgo } from "./seconds.ts";

test("an age is in words, and nothing is never", () => {
  expect([secondsAgo(0.4), secondsAgo(3.7), secondsAgo(null), secondsAgo(null, "not read yet")]).toEqual([
    "now",
    "3\u00a0s ago",
    "never",
    "not read yet",
  ]);
});

test("a forecast counts whole days", () => {
  const day = 86_400;
  expect([day / 2, day, 41.9 * day, 4000 * day].map(forecastText)).toEqual([
    "less than a day",
    "1\u00a0day",
    "41\u00a0days",
    "more than ten years",
  ]);
});
