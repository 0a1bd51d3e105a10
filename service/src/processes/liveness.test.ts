import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { stopClock } from "../../test/fake-clock.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { ClaimWatch } from "../delivery/claim-watch.ts";
import { checkLiveness, watchLiveness } from "./liveness.ts";

const database = useTestDatabase();
const unreachable = "postgres://nobody@127.0.0.1:1/nothing";
const poolTimeout = new Error("timeout exceeded when trying to connect");

beforeEach(stopClock);
afterEach(() => void vi.useRealTimers());

function failingFor(seconds: number, error: unknown): ClaimWatch {
  const claims = new ClaimWatch();
  claims.failed("live", error);
  vi.advanceTimersByTime(seconds * 1000);
  claims.failed("live", error);
  return claims;
}

/** What a statement throws that the server refuses with this code. */
function refusal(code: string): Promise<unknown> {
  const text = `do $$ begin raise exception 'a planted refusal' using errcode = '${code}'; end $$`;
  return database.db.query({ name: "refuse", text, isPlannedEachTime: true }).catch((error: unknown) => error);
}

test("a process whose claims succeed, or that claims nothing, is live without a look at the database", async () => {
  expect(await checkLiveness(new ClaimWatch(), unreachable)).toEqual({ isLive: true, claimsFailingSeconds: null });
});

test("claims that fail for 30 s although the database works: not live", async () => {
  const claims = failingFor(29, new Error("a bug"));
  expect(await checkLiveness(claims, database.url)).toMatchObject({ isLive: true, claimsFailingSeconds: 29 });
  vi.advanceTimersByTime(1_000);
  expect(await checkLiveness(claims, database.url)).toMatchObject({ isLive: false, claimsFailingSeconds: 30 });
});

test("a missing privilege, or a broken pool while a new connection can use the queue: not live", async () => {
  for (const error of [await refusal("42501"), poolTimeout]) {
    expect(await checkLiveness(failingFor(60, error), database.url)).toMatchObject({ isLive: false });
  }
});

describe("the process stays live, because it may hold answers of SES,", () => {
  const staysLive = { isLive: true, reason: expect.stringContaining("A restart would not help") };

  test("while the database cannot be reached", async () => {
    expect(await checkLiveness(failingFor(60, new Error("a bug")), unreachable)).toMatchObject(staysLive);
  });

  test.for([
    ["a full disk", "53100"],
    ["a read-only primary", "25006"],
    ["a statement timeout", "57014"],
  ] as const)("while claims end with %s, although the database can be reached", async ([, code]) => {
    expect(await checkLiveness(failingFor(60, await refusal(code)), database.url)).toMatchObject(staysLive);
  });

  test("while a migration locks the queue, and so many statements wait for it that claims get no connection", async () => {
    const claims = failingFor(60, poolTimeout);
    await database.db.withTransaction(async (transaction) => {
      await transaction.query({ name: "lock-the-queue", text: "lock table send_queue in share mode" });
      expect(await checkLiveness(claims, database.url)).toMatchObject(staysLive);
    });
  });
});

test("a process that is stopping is live, so that a supervisor sends no second signal", async () => {
  const started = { isStopping: false };
  const isLive = watchLiveness(failingFor(60, new Error("a bug")), database.url, started);
  expect(await isLive()).toMatchObject({ isLive: false });
  started.isStopping = true;
  expect(await isLive()).toMatchObject({ isLive: true, reason: "The process is stopping." });
});
