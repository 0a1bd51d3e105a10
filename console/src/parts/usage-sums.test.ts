import { describe, expect, test } from "vitest";
import type { Usage } from "../api/api-types.ts";
import { findQuantile, formatAtMost, outcomesOf, sumBars, sumBy, sumUsage } from "./usage-sums.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const at = (hour: number) => Date.UTC(2026, 10, 16, hour);
const entry = (hour: number, changes: Partial<Usage> = {}): Usage => ({
  start: new Date(at(hour)).toISOString(),
  accepted_sends: 1,
  accepted_recipients: 2,
  ...changes,
});

test("entries are added up, also their delivery times", () => {
  const sum = sumUsage([
    entry(1, { delivered: 3, bounced_hard: 1, delivery_times: [1, 0, 2] }),
    entry(2, { delivered: 1, bounced_soft: 2, failed: 4, delivery_times: [0, 1, 0] }),
  ]);
  expect(sum).toMatchObject({ acceptedSends: 2, acceptedRecipients: 4, delivered: 4, failed: 4 });
  expect(sum.deliveryTimes).toEqual([1, 1, 2]);
  expect(outcomesOf(sum)).toBe(7);
  expect(sumUsage([])).toMatchObject({ acceptedSends: 0, deliveryTimes: [] });
});

test("an hour belongs to the bar that it starts in, and hours before the first bar to none", () => {
  const bars = sumBars([entry(0), entry(1), entry(5), entry(6), entry(23)], [at(1), at(6)]);
  expect(bars.map(({ acceptedSends }) => acceptedSends)).toEqual([2, 2]);
});

test("groups keep their own sums", () => {
  const sums = sumBy(
    [entry(1, { domain: "a" }), entry(2, { domain: "b" }), entry(2, { domain: "a" })],
    ({ domain }) => domain ?? "",
  );
  expect([...sums].map(([domain, sum]) => [domain, sum.acceptedSends])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
});

describe("a quantile", () => {
  const bounds = [500, 1000, 2000];
  test.for([
    [[0, 0, 0, 0], 0.95, undefined],
    [[], 0.95, undefined],
    [[95, 5, 0, 0], 0.95, 500],
    [[94, 6, 0, 0], 0.95, 1000],
    [[1, 0, 0, 0], 0.95, 500],
    [[50, 50, 0, 0], 0.5, 500],
    [[49, 51, 0, 0], 0.5, 1000],
    [[1, 0, 0, 99], 0.95, Number.POSITIVE_INFINITY],
  ] as const)("of %j at %d is %s", ([counts, share, expected]) => {
    expect(findQuantile(counts, bounds, share)).toBe(expected);
  });
});

test.for([
  [500, "≤ 0.5 s"],
  [4000, "≤ 4 s"],
  [64_000, "≤ 64 s"],
  [128_000, "≤ 2 min 8 s"],
  [1_024_000, "≤ 17 min 4 s"],
  [4_096_000, "≤ 1 h 9 min"],
  [8_192_000, "≤ 2 h 17 min"],
  [Number.POSITIVE_INFINITY, "> 2 h 16 min"],
] as const)("a bound of %d ms reads %s", ([ms, text]) => {
  expect(plain(formatAtMost(ms, 8_192_000))).toBe(text);
});
