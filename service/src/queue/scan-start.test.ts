import { expect, test } from "vitest";
import { ScanStart } from "./scan-start.ts";

const [six, later] = ["2026-11-15 06:00:00+00", "2026-11-15 06:00:01+00"];

test("a scan begins at the mark, and at the start again after a second", () => {
  let now = 5_000;
  const scanStart = new ScanStart(() => now);
  expect(scanStart.mark).toBe("-infinity");
  scanStart.advance({ at: six, isBehind: false });
  now += 999;
  expect(scanStart.mark).toBe(six);
  now += 1;
  expect(scanStart.mark).toBe("-infinity");
  expect(scanStart.mark).toBe(six);
});

test("an old turn that was met stays in sight for two seconds at least and for four at most, one of newcomers does not", () => {
  const secondsInSight = (isBehind: boolean, agedMs: number) => {
    let now = 5_000;
    const scanStart = new ScanStart(() => now);
    scanStart.advance({ at: later, isBehind: false });
    now += agedMs;
    scanStart.advance({ at: six, isBehind });
    const begun = now;
    const isInSight = () => [scanStart.mark, scanStart.mark].includes(six);
    for (; isInSight(); scanStart.advance({ at: later, isBehind: false })) now += 100;
    return (now - begun) / 1000;
  };
  expect([secondsInSight(true, 0), secondsInSight(true, 1_900)]).toEqual([4, 2.1]);
  expect(secondsInSight(false, 0)).toBe(0.1);
});

test("a scan from the start that takes long is made less often, every ten seconds at least", () => {
  let now = 5_000;
  const scanStart = new ScanStart(() => now);
  const secondsUntilTheNext = (tookMs: number) => {
    scanStart.scannedAll(tookMs);
    scanStart.advance({ at: six, isBehind: false });
    const begun = now;
    while (scanStart.mark !== "-infinity") now += 100;
    return (now - begun) / 1000;
  };
  expect(scanStart.mark).toBe("-infinity");
  expect([secondsUntilTheNext(1), secondsUntilTheNext(10), secondsUntilTheNext(400)]).toEqual([1, 2, 10]);
});
