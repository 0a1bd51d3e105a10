import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stopClock } from "../../test/fake-clock.ts";
import { AppError } from "../errors.ts";
import { ClaimWatch } from "./claim-watch.ts";

beforeEach(stopClock);
afterEach(() => void vi.useRealTimers());

test("failures in one mode count from the first, until a claim of that mode succeeds", () => {
  const claims = new ClaimWatch();
  claims.failed("live", new Error("a bug"));
  expect(claims.failingSeconds()).toBeNull();
  vi.advanceTimersByTime(12_000);
  claims.failed("live", new Error("a bug"));
  claims.succeeded("test", 0);
  expect(claims.failingSeconds()).toBe(12);
  claims.succeeded("live", 0);
  expect(claims.failingSeconds()).toBeNull();
});

test("a loop that waits for the pace after a failure does not fail", () => {
  const claims = new ClaimWatch();
  claims.failed("live", new Error("a bug"));
  claims.failed("live", new Error("a bug"));
  vi.advanceTimersByTime(31_000);
  expect(claims.failingSeconds()).toBeNull();
});

test("the server is unavailable when it said so in its last answer to a claim", () => {
  const claims = new ClaimWatch();
  const cause = Object.assign(new Error("disk full"), { code: "53100", severity: "ERROR" });
  const diskFull = new AppError("UNAVAILABLE", "Try again shortly.", { cause });
  claims.failed("live", diskFull);
  claims.failed("live", diskFull);
  expect(claims.isDatabaseUnavailable()).toBe(true);
  claims.failed("live", new Error("connection terminated"));
  expect(claims.isDatabaseUnavailable()).toBe(false);
});

test("only a claim that took a send is a claim", () => {
  const claims = new ClaimWatch();
  claims.succeeded("live", 0);
  expect(claims.claimedSecondsAgo("live")).toBeNull();
  claims.succeeded("live", 3);
  vi.advanceTimersByTime(7_000);
  claims.succeeded("live", 0);
  expect(claims.claimedSecondsAgo("live")).toBe(7);
  expect(claims.claimedSecondsAgo("test")).toBeNull();
});
