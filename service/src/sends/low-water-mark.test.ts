import { expect, test } from "vitest";
import { LowWaterMark } from "./low-water-mark.ts";

const [six, later] = ["2026-11-15 06:00:00+00", "2026-11-15 06:00:01+00"];

test("a scan begins at the mark, and at the start again after a second", () => {
  let now = 5_000;
  const lowWater = new LowWaterMark(() => now);
  expect(lowWater.mark).toBe("-infinity");
  lowWater.advance(six);
  now += 999;
  expect(lowWater.mark).toBe(six);
  now += 1;
  expect(lowWater.mark).toBe("-infinity");
  expect(lowWater.mark).toBe(six);
});

test("an old turn that was met stays in sight for three seconds at least, and for six at most", () => {
  let now = 5_000;
  const lowWater = new LowWaterMark(() => now);
  const secondsInSight = (agedMs: number) => {
    lowWater.advance(later);
    now += agedMs;
    lowWater.advance(six);
    const begun = now;
    const isInSight = () => [lowWater.mark, lowWater.mark].includes(six);
    for (; isInSight(); lowWater.advance(later)) now += 100;
    return (now - begun) / 1000;
  };
  expect([secondsInSight(0), secondsInSight(2_900)]).toEqual([6, 3.1]);
});

test("a scan from the start that takes long is made less often, every three seconds at least", () => {
  let now = 5_000;
  const lowWater = new LowWaterMark(() => now);
  const secondsUntilTheNext = (tookMs: number) => {
    lowWater.scannedAll(tookMs);
    lowWater.advance(six);
    const begun = now;
    while (lowWater.mark !== "-infinity") now += 100;
    return (now - begun) / 1000;
  };
  expect(lowWater.mark).toBe("-infinity");
  expect([secondsUntilTheNext(1), secondsUntilTheNext(10), secondsUntilTheNext(400)]).toEqual([1, 2, 3]);
});
