import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  axisFormat,
  formatAge,
  formatClockWithMilliseconds,
  formatDateTime,
  formatDuration,
  formatFull,
  formatOffset,
  formatRelative,
  formatUtc,
  formatWeekday,
} from "./format-time.ts";

const timeZone = "Europe/Oslo";
const at = Date.parse("2026-11-16T15:04:12.118Z");
const seconds = (count: number) => at + count * 1000;
const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("a relative time", () => {
  test.for([
    [0, "now"],
    [-4, "now"],
    [2, "2 s ago"],
    [59, "59 s ago"],
    [60, "1 min ago"],
    [14 * 60, "14 min ago"],
    [3600, "1 h ago"],
    [86_399, "23 h ago"],
    [86_400, "16 Nov, 16:04"],
    [-18, "in 18 s"],
    [-13 * 3600, "in 13 h"],
    [-86_400, "16 Nov, 16:04"],
  ] as const)("after %i s reads %s", ([age, text]) => {
    expect(plain(formatRelative(at, { now: seconds(age), timeZone }))).toBe(text);
  });
});

test("a date of another year names the year", () => {
  const now = Date.parse("2027-02-01T00:00:00Z");
  expect(plain(formatDateTime(at, { now, timeZone }))).toBe("16 Nov 2026, 16:04");
});

test("September is abbreviated to three letters", () => {
  expect(plain(formatDateTime(Date.parse("2026-09-02T10:00:00Z"), { now: at, timeZone }))).toBe("2 Sep, 12:00");
});

test("the weekday is that of the local day, not of the UTC day", () => {
  expect(plain(formatWeekday(Date.parse("2026-11-15T23:30:00Z"), { timeZone }))).toBe("Mon 16");
});

test.for(["Europe/Oslo", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])(
  "without a zone the browser's own is used, here %s, in every hour of two years",
  (zone) => {
    vi.stubEnv("TZ", zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (let hour = 0; hour < 2 * 365 * 24; hour += 7) {
      const moment = at + hour * 3_600_000;
      expect(formatFull(moment)).toBe(formatFull(moment, { timeZone: zone }));
    }
  },
);

test.for([
  [24, /^\d\d:\d\d$/],
  [7 * 24, /^\w{3} \d+$/],
  [30 * 24, /^\d+ \w{3}$/],
] as const)("an axis of %d hours has labels that differ", ([hours, label]) => {
  expect(plain(axisFormat([at - hours * 3_600_000, at])(at))).toMatch(label);
});

test("midnight reads 00, not 24", () => {
  expect(formatFull(Date.parse("2026-11-16T23:00:00Z"), { timeZone })).toBe("Tue 17 Nov 2026, 00:00:00");
});

test("the popover shows local time, UTC and the age in two units", () => {
  expect(formatFull(at, { timeZone })).toBe("Mon 16 Nov 2026, 16:04:12");
  expect(formatUtc(at)).toBe("2026-11-16T15:04:12.118Z");
  expect(plain(formatAge(at, { now: seconds(363) }))).toBe("6 min 3 s ago");
  expect(plain(formatAge(at, { now: seconds(360) }))).toBe("6 min ago");
  expect(plain(formatAge(at, { now: seconds(-90_000) }))).toBe("in 1 day 1 h");
});

test("a timeline shows milliseconds and the offset of local time", () => {
  expect(formatClockWithMilliseconds(at, { timeZone })).toBe("16:04:12.118");
  expect(formatOffset(at, { timeZone })).toBe("+01:00");
  expect(formatOffset(at, { timeZone: "UTC" })).toBe("+00:00");
});

test.for([
  [0, "0 ms"],
  [211.6, "212 ms"],
  [999.6, "1.0 s"],
  [1200, "1.2 s"],
  [9960, "10 s"],
  [37_000, "37 s"],
  [59_700, "1 min"],
  [240_000, "4 min"],
  [46_800_000, "13 h"],
  [41 * 86_400_000, "41 days"],
] as const)("a duration of %d ms reads %s", ([ms, text]) => {
  expect(plain(formatDuration(ms))).toBe(text);
});
