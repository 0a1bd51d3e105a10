import { expect, test } from "vitest";
import { describeSearch, hasFilter, readFilters, tokensOf, toQuery } from "./send-filters.ts";

const now = Date.parse("2026-11-16T15:00:00Z");

test("values that the API would refuse count as no filter", () => {
  const filters = readFilters({ status: "lost", range: "9y", since: "soon", recipient: "  ", before: "x" });
  expect(hasFilter(filters)).toBe(false);
  expect(tokensOf(filters)).toEqual([]);
});

test("a relative range is computed when it is asked for, and a given time wins over it", () => {
  const week = readFilters({ range: "7d", status: "bounced" });
  expect(toQuery(week, "live", now)).toEqual({ status: "bounced", since: "2026-11-09T15:00:00.000Z", mode: "live" });
  const both = readFilters({ range: "7d", since: "2026-11-01T00:00:00Z" });
  expect(toQuery(both, "test", now)).toMatchObject({ since: "2026-11-01T00:00:00.000Z", mode: "test" });
});

test("today begins at midnight of the shown zone", () => {
  const { since } = toQuery(readFilters({ range: "today" }), "live", now);
  expect(new Date(since ?? "").getHours()).toBe(0);
  expect(now - Date.parse(since ?? "")).toBeLessThan(24 * 3_600_000);
});

test("tokens carry the name of the query, so that a removal finds it", () => {
  const filters = readFilters({
    recipient: "a@x.example",
    provider_message_id: "0102",
    status: "sent",
    domain: "x.example",
    tag: "receipt",
  });
  expect(tokensOf(filters).map(({ key, value }) => [key, value])).toEqual([
    ["recipient", "a@x.example"],
    ["status", "sent"],
    ["domain", "x.example"],
    ["provider_message_id", "0102"],
    ["tag", "receipt"],
  ]);
});

test.for([
  [
    { recipient: "a@x.example", status: "delivered", range: "30d" },
    "live",
    "No delivered mail to a@x.example in the last 30 days",
  ],
  [{ range: "today" }, "test", "No test mail today"],
  [{ domain: "x.example" }, "live", "No mail from x.example"],
  [{ provider_message_id: "0102" }, "live", "No mail with the SES id 0102"],
  [{ tag: "receipt" }, "live", "No mail with the tag receipt"],
] as const)("an empty result says what was searched: %o", ([search, mode, text]) => {
  expect(describeSearch(readFilters(search), mode)).toBe(text);
});
