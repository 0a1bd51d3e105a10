import { describe, expect, test } from "vitest";
import { countScale, labelledBars } from "./chart-scale.ts";

describe("the scale of counts", () => {
  test.for([0, 1, 2, 7, 31, 36, 258, 999, 14_200, 1_000_001])("holds %i with whole, even steps", (largest) => {
    const { top, ticks } = countScale(largest);
    expect(top).toBeGreaterThanOrEqual(largest);
    expect(top).toBeLessThanOrEqual(Math.max(2, largest * 1.6));
    expect(ticks[0]).toBe(0);
    expect(ticks.at(-1)).toBe(top);
    expect(ticks.every(Number.isInteger)).toBe(true);
  });
});

describe("axis labels", () => {
  const dayOf = (at: number) => String(Math.floor(at / 24));
  test("stand at the first bar of each day", () => {
    const starts = Array.from({ length: 28 }, (_, index) => index * 6);
    expect(labelledBars(starts, 10, dayOf)).toEqual([0, 4, 8, 12, 16, 20, 24]);
  });

  test("are spread over the hours of a single day", () => {
    const starts = Array.from({ length: 24 }, (_, index) => index);
    expect(labelledBars(starts, 6, dayOf)).toEqual([0, 4, 8, 12, 16, 20]);
  });

  test("are thinned out when there is no room", () => {
    const starts = Array.from({ length: 30 }, (_, index) => index * 24);
    expect(labelledBars(starts, 6, dayOf)).toHaveLength(6);
    expect(labelledBars([], 6, dayOf)).toEqual([]);
  });
});
