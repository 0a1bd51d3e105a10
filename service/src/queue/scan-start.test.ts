import { expect, test } from "vitest";
import { ScanStart } from "./scan-start.ts";

const [six, later] = ["2026-11-15 06:00:00+00", "2026-11-15 06:00:01+00"];

test("a scan starts at the last known fair_at, and once a second at the beginning of the queue", () => {
  let now = 5_000;
  const scanStart = new ScanStart(() => now);
  expect(scanStart.next()).toBe("-infinity");
  scanStart.advance({ at: six, isBehind: false });
  now += 999;
  expect(scanStart.next()).toBe(six);
  now += 1;
  expect(scanStart.next()).toBe("-infinity");
  expect(scanStart.next()).toBe(six);
});

test("scans start at an old fair_at for another two to four seconds, but not at that of new sends", () => {
  const secondsKept = (isBehind: boolean, agedMs: number) => {
    let now = 5_000;
    const scanStart = new ScanStart(() => now);
    scanStart.advance({ at: later, isBehind: false });
    now += agedMs;
    scanStart.advance({ at: six, isBehind });
    const startedAt = now;
    const isKept = () => [scanStart.next(), scanStart.next()].includes(six);
    for (; isKept(); scanStart.advance({ at: later, isBehind: false })) now += 100;
    return (now - startedAt) / 1000;
  };
  expect([secondsKept(true, 0), secondsKept(true, 1_900)]).toEqual([4, 2.1]);
  expect(secondsKept(false, 0)).toBe(0.1);
});

test("a scan of the whole queue that takes long runs less often, but at least every ten seconds", () => {
  let now = 5_000;
  const scanStart = new ScanStart(() => now);
  const secondsUntilNextFullScan = (tookMs: number) => {
    scanStart.scannedAll(tookMs);
    scanStart.advance({ at: six, isBehind: false });
    const startedAt = now;
    while (scanStart.next() !== "-infinity") now += 100;
    return (now - startedAt) / 1000;
  };
  expect(scanStart.next()).toBe("-infinity");
  expect([secondsUntilNextFullScan(1), secondsUntilNextFullScan(10), secondsUntilNextFullScan(400)]).toEqual([
    1, 2, 10,
  ]);
});
