import { expect, test } from "vitest";
import { SentLast24Hours } from "./sent-last-24-hours.ts";
import { TokenBucket } from "./token-bucket.ts";

const start = Date.parse("2026-11-15T12:00:00Z");
const hour = 60 * 60 * 1000;

test("the 24 h quota forgets recipients after 24 hours, not before", () => {
  const sent = new SentLast24Hours();
  sent.add(start, 10);
  sent.add(start + 12 * hour, 5);
  expect(sent.total(start + 24 * hour - 60_000)).toBe(15);
  expect(sent.total(start + 24 * hour + 60_000)).toBe(5);
  expect(sent.total(start + 37 * hour)).toBe(0);
});

test("the send rate allows one second's worth at once and then the rate", () => {
  const bucket = new TokenBucket();
  const taken = (now: number) => Array.from({ length: 20 }, () => bucket.take(1, 14, now)).filter(Boolean).length;
  expect(taken(start)).toBe(14);
  expect(taken(start)).toBe(0);
  expect(taken(start + 500)).toBe(7);
  expect(taken(start + 60_000)).toBe(14);
});

test("a mail with more recipients than the rate passes when the second is unused, and then costs them all", () => {
  const bucket = new TokenBucket();
  expect(bucket.take(50, 14, start)).toBe(true);
  expect(bucket.take(1, 14, start + 2000)).toBe(false);
  expect(bucket.take(1, 14, start + 3000)).toBe(true);
});
