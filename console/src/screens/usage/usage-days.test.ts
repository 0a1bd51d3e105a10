import { expect, test } from "vitest";
import { countedRange, wholeDays } from "./usage-days.ts";

const now = Date.parse("2026-11-16T15:10:00Z");
const at = (text: string) => Date.parse(`${text}:00Z`);
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const limits = (range: Parameters<typeof countedRange>[0]) => {
  const { by, from, to } = countedRange(range, now);
  return [by, iso(from), iso(to)];
};

test("24 hours are counted by hour", () => {
  const range = { preset: "24h" as const, from: at("2026-11-15T16:00"), to: at("2026-11-16T16:00") };
  expect(limits(range)).toEqual(["hour", "2026-11-15T16:00", "2026-11-16T16:00"]);
});

test("7 days are seven UTC days, whatever the local day is", () => {
  const range = { preset: "7d" as const, from: at("2026-11-09T23:00"), to: at("2026-11-16T16:00") };
  expect(limits(range)).toEqual(["day", "2026-11-10T00:00", "2026-11-17T00:00"]);
});

test("a long selected range is widened to whole UTC days", () => {
  const range = { preset: undefined, from: at("2026-11-09T23:00"), to: at("2026-11-13T00:00") };
  expect(limits(range)).toEqual(["day", "2026-11-09T00:00", "2026-11-13T00:00"]);
});

test("tags of the last 24 hours are those of the two UTC days that it touches", () => {
  const { by, from, to } = wholeDays({ from: at("2026-11-15T16:00"), to: at("2026-11-16T16:00") });
  expect([by, iso(from), iso(to)]).toEqual(["day", "2026-11-15T00:00", "2026-11-17T00:00"]);
});
