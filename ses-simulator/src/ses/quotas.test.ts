import { expect, test } from "vitest";
import { SentLast24Hours } from "./sent-last-24-hours.ts";
import { TokenBucket } from "./token-bucket.ts";

const start = Date.parse("2026-11-15T12:00:00Z");
const hour = 60 * 60 * 1000;

test("the 24 h quota counts a recipient for exactly 24 hours", () => {
  const sent = new SentLast24Hours();
  sent.add(start, 10);
  sent.add(start + 12 * hour, 5);
  expect(sent.total(start + 24 * hour - 60_000)).toBe(15);
  expect(sent.total(start + 24 * hour + 60_000)).toBe(5);
  expect(sent.total(start + 37 * hour)).toBe(0);
});

test("the send rate allows a burst of one second's quota and then the steady rate", () => {
  const bucket = new TokenBucket();
  const taken = (now: number) => Array.from({ length: 20 }, () => bucket.take(1, 14, now)).filter(Boolean).length;
  expect(taken(start)).toBe(14);
  expect(taken(start)).toBe(0);
  expect(taken(start + 500)).toBe(7);
  expect(taken(start + 60_000)).toBe(14);
});

test("a mail with more recipients than the rate passes on a full bucket and then uses tokens for all of them", () => {
  const bucket = new TokenBucket();
  expect(bucket.take(50, 14, start)).toBe(true);
  expect(bucket.take(1, 14, start + 2000)).toBe(false);
  expect(bucket.take(1, 14, start + 3000)).toBe(true);
});
