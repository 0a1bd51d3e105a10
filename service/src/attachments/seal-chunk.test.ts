import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { testContentKeys } from "../../test/send-builders.ts";
import { type ChunkPlace, openChunk, sealChunk } from "./seal-chunk.ts";

const place: ChunkPlace = {
  accountId: "019a9000-0000-7000-8000-000000000001",
  sendId: "019a9000-0000-7000-8000-000000000002",
  part: 1,
  number: 2,
  count: 3,
};
const bytes = randomBytes(1000);
const sealed = sealChunk(testContentKeys.current, place, bytes);

test("a chunk opens in its place", () => {
  expect(openChunk(testContentKeys, place, sealed).equals(bytes)).toBe(true);
});

test.for<[string, Partial<ChunkPlace>]>([
  ["of another account", { accountId: "019a9000-0000-7000-8000-000000000009" }],
  ["of another send", { sendId: "019a9000-0000-7000-8000-000000000009" }],
  ["of another attachment", { part: 0 }],
  ["at another position", { number: 1 }],
  ["of a shorter attachment", { count: 2 }],
])("a chunk does not open as one %s", ([, other]) => {
  expect(() => openChunk(testContentKeys, { ...place, ...other }, sealed)).toThrow();
});
