import { expect, test } from "vitest";
import { createSeenAddresses } from "./seen-addresses.ts";

test("an address is new once, among a hundred thousand", () => {
  const seen = createSeenAddresses();
  const emails = Array.from({ length: 100_000 }, (_, number) => `n${number}@x.test`);
  expect(emails.every((email) => seen.add(email))).toBe(true);
  expect(emails.some((email) => seen.add(email))).toBe(false);
  expect(seen.add("another@x.test")).toBe(true);
});
