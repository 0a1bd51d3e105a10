import { expect, onTestFinished, test, vi } from "vitest";
import { describeFilters, hasFilter, rangeTimes, readFilters, toQuery } from "./delivery-filters.ts";

test("the address holds the filters, and a value that the API would refuse counts as none", () => {
  const filters = readFilters({ state: "failed", type: "send.bounced", range: "yesterday", mode: "test" });
  expect(filters).toMatchObject({ state: "failed", type: "send.bounced", range: "yesterday" });
  expect(hasFilter(filters)).toBe(true);
  const unknown = readFilters({ state: "lost", type: "send.opened", range: "toString", since: "then", send: "1" });
  expect(hasFilter(unknown)).toBe(false);
  expect(toQuery(unknown)).toEqual({});
});

test("yesterday is a day of the browser's zone, also when the clock changes", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  onTestFinished(() => void vi.unstubAllEnvs());
  // The clock went back on 25 October 2026: that day had 25 hours.
  expect(rangeTimes("yesterday", Date.parse("2026-10-26T08:00:00Z"))).toEqual({
    from: "2026-10-24T22:00:00.000Z",
    to: "2026-10-25T23:00:00.000Z",
  });
});

test("times in the address win over a range", () => {
  const filters = readFilters({ range: "24h", since: "2026-11-17T00:00:00Z" });
  expect(toQuery(filters)).toEqual({ since: "2026-11-17T00:00:00.000Z" });
});

test("an empty list says what was searched", () => {
  expect(describeFilters(readFilters({ state: "failed", type: "send.sent", range: "yesterday" }))).toBe(
    "No failed delivery of send.sent yesterday",
  );
});
