import { expect, test } from "vitest";
import type { Usage } from "../../api/api-types.ts";
import { domainRows, keyRows, refusalRows, tagRows } from "./usage-rows.ts";

const entry = (changes: Partial<Usage>): Usage => ({
  start: "2026-11-16T00:00:00.000Z",
  accepted_sends: 1,
  accepted_recipients: 1,
  ...changes,
});
const keys = [{ id: "key-a", name: "Web shop" }];
const refused = (code: string, count: number) => ({ code, count });

test("domains are sorted by recipients", () => {
  const rows = domainRows([
    entry({ domain: "a.example" }),
    entry({ domain: "b.example", accepted_recipients: 5, delivered: 4 }),
    entry({ domain: "a.example", accepted_recipients: 2 }),
  ]);
  expect(rows.map(({ name, acceptedRecipients, delivered }) => [name, acceptedRecipients, delivered])).toEqual([
    ["b.example", 5, 4],
    ["a.example", 3, 0],
  ]);
});

test("tags that are counted together are no row", () => {
  const { rows, other } = tagRows([
    entry({ tag: "(other)", accepted_recipients: 9 }),
    entry({ tag: "other" }),
    entry({ tag: "receipt", accepted_recipients: 2 }),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(["receipt", "other"]);
  expect(other?.acceptedRecipients).toBe(9);
  expect(tagRows([]).other).toBeUndefined();
});

test("refusals are added up by key and code, over all days", () => {
  const rows = refusalRows(
    [
      entry({ api_key_id: "key-a", refusals: [refused("VALIDATION_ERROR", 2), refused("CONFLICT", 1)] }),
      entry({ api_key_id: "key-a", refusals: [refused("VALIDATION_ERROR", 3)] }),
      entry({ api_key_id: "0000-gone12", refusals: [refused("CONFLICT", 4)] }),
    ],
    keys,
  );
  expect(rows.map(({ name, code, count }) => [name, code, count])).toEqual([
    ["Web shop", "VALIDATION_ERROR", 5],
    ["Revoked key gone12", "CONFLICT", 4],
    ["Web shop", "CONFLICT", 1],
  ]);
});

test("a key has its sends and refusals, and its id until the names are known", () => {
  const entries = [entry({ api_key_id: "key-a", accepted_recipients: 7, refusals: [refused("CONFLICT", 2)] })];
  expect(keyRows(entries, keys)).toEqual([
    { id: "key-a", name: "Web shop", isListed: true, sends: 1, recipients: 7, refused: 2 },
  ]);
  expect(keyRows(entries, undefined)[0]).toMatchObject({ name: "key-a", isListed: false });
});
