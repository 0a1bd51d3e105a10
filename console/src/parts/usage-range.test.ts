import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { barStarts, hoursPerBar, rangeBefore, readRange, selectionSearch, type UsageRange } from "./usage-range.ts";

const zone = process.env.TZ;
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const limits = ({ from, to }: UsageRange) => [iso(from), iso(to)];
const now = Date.parse("2026-11-16T15:10:00Z");

beforeEach(() => {
  process.env.TZ = "Europe/Oslo";
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe("a range", () => {
  test("of 24 hours ends with the current hour", () => {
    expect(limits(readRange({ range: "24h" }, now))).toEqual(["2026-11-15T16:00", "2026-11-16T16:00"]);
  });

  test("at a full hour includes the hour that begins", () => {
    expect(limits(readRange({ range: "24h" }, Date.parse("2026-11-16T15:00:00Z")))[1]).toBe("2026-11-16T16:00");
  });

  test("of 7 days begins at local midnight, and is the default", () => {
    expect(limits(readRange({}, now))).toEqual(["2026-11-09T23:00", "2026-11-16T16:00"]);
    expect(readRange({ range: "9w" }, now).preset).toBe("7d");
  });

  test("in a zone with half hours begins at the UTC hour before local midnight", () => {
    process.env.TZ = "Asia/Kolkata";
    const range = readRange({}, now);
    expect(limits(range)[0]).toBe("2026-11-09T18:00");
    expect(barStarts(range).slice(0, 3).map(iso)).toEqual(["2026-11-09T18:00", "2026-11-10T00:00", "2026-11-10T06:00"]);
    expect(barStarts(range)).toHaveLength(28);
  });

  test("of the address has whole hours, no future and at most 31 days", () => {
    const given = (since: string, until?: string) => limits(readRange({ since, until }, now));
    expect(given("2026-11-10T06:30:00Z", "2026-11-10T08:01:00Z")).toEqual(["2026-11-10T06:00", "2026-11-10T09:00"]);
    expect(given("2026-11-16T06:00:00Z", "2027-01-01T00:00:00Z")[1]).toBe("2026-11-16T16:00");
    expect(given("2026-01-01T00:00:00Z")).toEqual(["2026-10-16T16:00", "2026-11-16T16:00"]);
  });

  test.for([{ since: "x" }, { since: "2027-01-01T00:00:00Z" }, { since: "2026-11-10", until: "2026-11-09" }])(
    "of an address without sense is the default: %o",
    (search) => {
      expect(readRange(search, now).preset).toBe("7d");
    },
  );

  test("can be written into the address and read again", () => {
    const [from, to] = [Date.parse("2026-11-10T06:00:00Z"), Date.parse("2026-11-11T00:00:00Z")];
    expect(readRange(selectionSearch(from, to), now)).toEqual({ preset: undefined, from, to });
  });
});

test("the time before has the same hours of the same weekdays", () => {
  expect(limits(rangeBefore(readRange({}, now)))).toEqual(["2026-11-02T23:00", "2026-11-09T16:00"]);
  const selected = { preset: undefined, from: now - 7_200_000, to: now };
  expect(rangeBefore(selected)).toEqual({ preset: undefined, from: now - 14_400_000, to: now - 7_200_000 });
});

describe("bars", () => {
  test("of a week have 6 hours and begin at local midnight", () => {
    const starts = barStarts(readRange({}, now));
    expect(starts).toHaveLength(27);
    expect(starts.slice(-2).map(iso)).toEqual(["2026-11-16T05:00", "2026-11-16T11:00"]);
  });

  test("of a month are local days, also where the clock changes", () => {
    const range = readRange({ range: "30d" }, Date.parse("2026-11-10T12:00:00Z"));
    const starts = barStarts(range);
    expect([hoursPerBar(range), starts.length]).toEqual([24, 30]);
    expect(starts.map(iso)).toContain("2026-10-24T22:00");
    expect(starts.map(iso)).toContain("2026-10-25T23:00");
  });

  test("of a day are its hours", () => {
    expect(barStarts(readRange({ range: "24h" }, now))).toHaveLength(24);
  });
});
