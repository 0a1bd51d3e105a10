import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ClaimWatch } from "../delivery/claim-watch.ts";
import { checkLiveness } from "./liveness.ts";

const database = useTestDatabase();
const unreachable = "postgres://nobody@127.0.0.1:1/nothing";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("a process whose claims succeed, or that claims nothing, is live without a look at the database", async () => {
  expect(await checkLiveness(new ClaimWatch(), unreachable)).toEqual({ isLive: true, claimsFailingSeconds: null });
});

test("claims that fail for 30 s although the database can be reached: not live", async () => {
  const claims = new ClaimWatch();
  claims.failed("live");
  vi.advanceTimersByTime(29_000);
  claims.failed("live");
  expect(await checkLiveness(claims, database.url)).toMatchObject({ isLive: true, claimsFailingSeconds: 29 });
  vi.advanceTimersByTime(1_000);
  expect(await checkLiveness(claims, database.url)).toMatchObject({ isLive: false, claimsFailingSeconds: 30 });
});

test("while the database cannot be reached the process stays live, because it may hold answers of SES", async () => {
  const claims = new ClaimWatch();
  claims.failed("live");
  vi.advanceTimersByTime(60_000);
  claims.failed("live");
  expect(await checkLiveness(claims, unreachable)).toMatchObject({
    isLive: true,
    reason: expect.stringContaining("A restart would not help"),
  });
});
