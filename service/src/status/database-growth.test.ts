import { expect, test } from "vitest";
import { aWeekOf } from "../../test/size-samples.ts";
import { databaseText, growthOf, growthProblems } from "./database-growth.ts";

const day = 86_400;

test("steady growth is found exactly, and the limit is reached when the free space is used up", () => {
  const growth = growthOf(aWeekOf({ from: 60e9, perDay: 1e9 }), 100e9);
  expect(growth).toMatchObject({ bytes: 68e9, measuredSecondsAgo: 0, limitBytes: 100e9 });
  expect(growth.bytesPerDay).toBeCloseTo(1e9, -3);
  expect((growth.fullInSeconds ?? 0) / day).toBeCloseTo(32, 3);
  expect(databaseText(growth)).toBe("68 GB, measured 0 s ago; grows by 1 GB a day; 100 GB are full in 32 days");
});

test("growth is not known until the samples span a day, and the text says so", () => {
  const known = growthOf(aWeekOf({ from: 1e9, perDay: 1e9, hours: 24 }), null);
  expect(known.bytesPerDay).toBeCloseTo(1e9, -3);
  const early = growthOf(aWeekOf({ from: 1e9, perDay: 1e9, hours: 23 }), 2e9);
  expect(early).toMatchObject({ bytesPerDay: null, fullInSeconds: null });
  expect(databaseText(early)).toBe(
    "2 GB, measured 0 s ago; growth not known yet: measured for 23 h 0 min of at least a day; the limit is 2 GB",
  );
  expect(databaseText(growthOf([], null))).toBe("size not measured yet");
});

test("before a week is over nothing says when the disk is full, because content may not have been dropped yet", () => {
  const growth = growthOf(aWeekOf({ from: 50e9, perDay: 5e9, hours: 4 * 24 }), 71e9);
  expect(growth.bytesPerDay).toBeCloseTo(5e9, -3);
  expect(growth.fullInSeconds).toBeNull();
  expect(growthProblems(growth)).toEqual([]);
  expect(databaseText(growth)).toMatch(
    /; the limit is 71 GB, and when it is reached is known after a week of measurements$/,
  );
});

test("content that is dropped once a week is not mistaken for growth, whenever the drop was", () => {
  for (let dropHour = 0; dropHour < 7 * 24; dropHour += 5) {
    const samples = aWeekOf({ from: 50e9, perDay: 0 }).map((sample, hour) => ({
      ...sample,
      bytes: sample.bytes + (((hour - dropHour + 7 * 24) % (7 * 24)) * 1e9) / 24,
    }));
    expect(growthOf(samples, 60e9)).toMatchObject({ bytesPerDay: 0, fullInSeconds: null });
  }
});

test("odd samples, a gap and the time of day do not change the growth", () => {
  const steady = aWeekOf({ from: 60e9, perDay: 1e9 });
  const odd = steady.map((sample, hour) => (hour % 4 === 0 ? { ...sample, bytes: 500e9 } : sample));
  const gap = steady.filter((_, hour) => hour < 20 || hour > 90);
  const daily = steady.map((sample, hour) => ({
    ...sample,
    bytes: sample.bytes + 5e9 * Math.sin((hour * Math.PI) / 12),
  }));
  for (const samples of [odd, gap, daily]) expect(growthOf(samples, null).bytesPerDay).toBeCloseTo(1e9, -6);
});

test("a database that shrinks or stays the same is described as such, is never full and is no problem", () => {
  const shrinking = growthOf(aWeekOf({ from: 60e9, perDay: -0.5e9 }), 57e9);
  expect(shrinking.fullInSeconds).toBeNull();
  expect(databaseText(shrinking)).toBe(
    "56 GB, measured 0 s ago; shrinks by 500 MB a day; at this rate 57 GB are never full",
  );
  const flat = growthOf(aWeekOf({ from: 41e6, perDay: 900_000 }), 57e9);
  expect(databaseText(flat)).toBe("48 MB, measured 0 s ago; does not grow; at this rate 57 GB are never full");
  expect([...growthProblems(shrinking), ...growthProblems(flat)]).toEqual([]);
});

test("without a limit the text names the setting, and nothing is a problem", () => {
  const growth = growthOf(aWeekOf({ from: 60e9, perDay: 50e9 }), null);
  expect(databaseText(growth)).toMatch(/grows by 50 GB a day; set DATABASE_DISK_GB to see when its disk is full$/);
  expect(growthProblems(growth)).toEqual([]);
});

test("a limit that is already reached is a problem, also while the database shrinks", () => {
  const growth = growthOf(aWeekOf({ from: 60e9, perDay: -1e9 }), 50e9);
  expect(databaseText(growth)).toMatch(/shrinks by 1 GB a day; FULL: the limit is 50 GB$/);
  expect(growthProblems(growth)).toHaveLength(1);
});
