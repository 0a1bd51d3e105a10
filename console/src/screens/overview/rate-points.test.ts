import { expect, test } from "vitest";
import type { Usage } from "../../api/api-types.ts";
import { rateDays, ratePoints, windowStart } from "./rate-points.ts";

const now = Date.parse("2026-11-16T15:10:00Z");
const day = (date: string, delivered: number, bounced_hard: number, complained = 0): Usage => ({
  start: `${date}T00:00:00.000Z`,
  accepted_sends: 0,
  accepted_recipients: 0,
  delivered,
  bounced_hard,
  complained,
});

test("the window is seven days by UTC, and the line needs 36 days", () => {
  expect(new Date(windowStart(now)).toISOString()).toBe("2026-11-10T00:00:00.000Z");
  const { from, to } = rateDays(now);
  expect([from, to].map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual(["2026-10-12", "2026-11-17"]);
});

test("each point counts seven days, and a day leaves the window after a week", () => {
  const { bounces, complaints } = ratePoints([day("2026-11-09", 100, 100), day("2026-11-10", 285, 15, 3)], now);
  const last = (count: number) => bounces.slice(-count).map(({ rate }) => rate);
  expect(bounces).toHaveLength(30);
  // The 8th: no outcomes; the 9th: 100 of 200; from the 10th to the 15th: 115 of 500; the 16th: 15 of 300.
  expect(last(9)).toEqual([null, 0.5, 0.23, 0.23, 0.23, 0.23, 0.23, 0.23, 0.05]);
  expect(complaints.at(-1)).toEqual({ at: "2026-11-16T15:10:00.000Z", rate: 0.01 });
  expect(bounces.at(-2)?.at).toBe("2026-11-16T00:00:00.000Z");
});

test("199 outcomes are no rate", () => {
  expect(ratePoints([day("2026-11-16", 100, 99)], now).bounces.at(-1)?.rate).toBeNull();
});
