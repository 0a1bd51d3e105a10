import { expect, test } from "vitest";
import { changedFacts, factText } from "./changed-facts.ts";

test("facts of both sides stand side by side, the changed ones first", () => {
  const before = { url: "https://a.example", enabled: true, types: ["bounce"] };
  const after = { url: "https://a.example", enabled: false, types: ["bounce"], note: null };
  expect(changedFacts(before, after)).toEqual([
    { name: "enabled", before: "yes", after: "no", isChanged: true },
    { name: "note", before: undefined, after: "none", isChanged: true },
    { name: "url", before: "https://a.example", after: "https://a.example", isChanged: false },
    { name: "types", before: "bounce", after: "bounce", isChanged: false },
  ]);
});

test("an entry with one side keeps the order of its facts", () => {
  expect(changedFacts(null, { key_prefix: "pk_1", scopes: [] }).map(({ name, after }) => [name, after])).toEqual([
    ["key prefix", "pk_1"],
    ["scopes", "none"],
  ]);
  expect(changedFacts(null, null)).toEqual([]);
});

test.for<[unknown, string]>([
  [null, "none"],
  [12000, "12,000"],
  [["send", "read"], "send, read"],
  ["2026-11-16 is no time", "2026-11-16 is no time"],
  [{ a: 1 }, '{"a":1}'],
])("%j reads %s", ([value, text]) => {
  expect(factText(value)).toBe(text);
});

test("a time is local", () => {
  expect(factText("2020-11-16T15:04:12.118Z")).toMatch(/^1[67]\u00a0Nov 2020, \d\d:\d4$/);
});
