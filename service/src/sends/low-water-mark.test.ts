import { expect, test } from "vitest";
import { LowWaterMark } from "./low-water-mark.ts";

test("a scan begins at the mark, and at the start again after a second", () => {
  let now = 5_000;
  const lowWater = new LowWaterMark(() => now);
  expect(lowWater.mark).toBe("-infinity");
  lowWater.advance("2026-11-15 06:00:00+00");
  now += 999;
  expect(lowWater.mark).toBe("2026-11-15 06:00:00+00");
  now += 1;
  expect(lowWater.mark).toBe("-infinity");
  lowWater.advance("2026-11-15 06:00:01+00");
  expect(lowWater.mark).toBe("2026-11-15 06:00:01+00");
});
