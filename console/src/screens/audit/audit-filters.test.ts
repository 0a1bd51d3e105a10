import { expect, test } from "vitest";
import { describeSearch, hasFilter, noFilters, readFilters, searchOf, tokensOf, toQuery } from "./audit-filters.ts";

test("the address of the page holds the filters, and a value that the API would refuse is none", () => {
  const search = {
    actor: " ada@x.example ",
    action: "api-key.revoke",
    target: "k1",
    target_kind: "api-key",
    range: "7d",
  };
  expect(readFilters(search)).toEqual({
    ...noFilters,
    actor: "ada@x.example",
    action: "api-key.revoke",
    target: "k1",
    target_kind: "api-key",
    range: "7d",
  });
  const wrong = { action: "toString", target_kind: "constructor", range: "valueOf", since: "soon", target: " " };
  expect(hasFilter(readFilters(wrong))).toBe(false);
});

test("a range counts from now, and chosen times go as they are", () => {
  const now = Date.parse("2026-11-18T12:00:00Z");
  expect(toQuery({ ...noFilters, range: "24h" }, now).since).toBe("2026-11-17T12:00:00.000Z");
  const filters = readFilters({ since: "2026-11-01T00:00:00Z", until: "2026-11-02T00:00:00Z", target_kind: "domain" });
  expect(toQuery(filters, now)).toMatchObject({
    since: "2026-11-01T00:00:00.000Z",
    until: "2026-11-02T00:00:00.000Z",
    target_kind: "domain",
  });
});

test.for([
  ["web shop", { target: "web shop", target_kind: undefined }],
  ["by: ada@x.example", { actor: "ada@x.example" }],
  ["SINCE:2026-11-01T00:00Z", { since: "2026-11-01T00:00:00.000Z", range: undefined }],
  ["until:soon", {}],
] as const)("%s is a search", ([typed, search]) => {
  expect(searchOf(typed)).toEqual(search);
});

test("a token shows the name of the target, not its id", () => {
  const filters = readFilters({ target: "k1", target_kind: "api-key" });
  expect(tokensOf(filters, "web shop")).toEqual([{ key: "target", name: "API key", value: "web shop" }]);
  expect(tokensOf(filters, undefined)[0]?.value).toBe("k1");
  expect(tokensOf(readFilters({ target_kind: "domain" }), undefined)[0]).toMatchObject({
    name: "domain",
    value: "all",
  });
});

test("an empty page says what was searched", () => {
  const search = {
    action: "api-key.revoke",
    target: "web shop",
    target_kind: "api-key",
    actor: "ada@x.example",
    range: "7d",
  };
  expect(describeSearch(readFilters(search))).toBe(
    "No entry “API key revoked” about the API key web shop by ada@x.example in the last 7 days",
  );
});
