import { randomUUIDv7 } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createAcceptBatch, type Decision } from "./accept-batch.ts";

const database = useTestDatabase();
const windowsMs = [1_000, 10_000, 60_000];

async function anAccountWith(limits: number[]): Promise<string> {
  const accountId = await anAccount(database.db);
  await database.db.query({
    name: "set-limits",
    text: `
      update accounts
      set limit_per_second = $2, limit_per_10_seconds = $3, limit_per_minute = $4
      where id = $1`,
    values: [accountId, ...limits],
  });
  return accountId;
}

/** Requests that arrive together. They carry no payload, so they are only counted. */
async function request(accountId: string, count: number): Promise<Decision[]> {
  const decide = createAcceptBatch(database.db, await openDatabaseClock(database.db));
  const candidate = {
    accountId,
    mode: "live",
    secretId: undefined,
    apiKeyId: undefined,
    send: undefined,
  } as const;
  return Promise.all(Array.from({ length: count }, () => decide(candidate)));
}

/** Simulates that time passes for one account: moves its admitted requests into the past. */
async function letPass(accountId: string, ms: number): Promise<void> {
  await database.db.query({
    name: "let-pass",
    text: `
      update rate_windows
      set times = array(
        select time - make_interval(secs => $2)
        from unnest(times) with ordinality as entry (time, position)
        order by position
      )
      where account_id = $1`,
    values: [accountId, ms / 1000],
  });
}

async function decidedAtUs(accountId: string): Promise<number> {
  const [row] = await database.db.query<{ us: number }>({
    name: "decided-at",
    text: `select (extract(epoch from decided_at) * 1000000)::bigint as us from rate_windows where account_id = $1`,
    values: [accountId],
  });
  return row?.us ?? 0;
}

function granted(decisions: Decision[]): number {
  return decisions.filter((decision) => decision.kind === "not-valid").length;
}

describe("the rate limit", () => {
  test("admits exactly what fits into all three sliding windows, whenever requests arrive", {
    timeout: 60_000,
  }, async () => {
    const step = fc.record({
      afterMs: fc.oneof(fc.integer({ min: 0, max: 1500 }), fc.integer({ min: 0, max: 70_000 })),
      count: fc.integer({ min: 1, max: 12 }),
    });
    const limits = fc.tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { minLength: 5, maxLength: 12 }), async (limit, steps) => {
        const accountId = await anAccountWith(limit);
        // The instants of admitted requests in microseconds, moved into the past in the same way.
        let admitted: number[] = [];
        for (const { afterMs, count } of steps) {
          await letPass(accountId, afterMs);
          admitted = admitted.map((at) => at - afterMs * 1000);
          const decisions = await request(accountId, count);
          const now = await decidedAtUs(accountId);
          const room = windowsMs.map((window, index) => {
            const used = admitted.filter((at) => at > now - window * 1000).length;
            return (limit[index] ?? 0) - used;
          });
          const expected = Math.max(0, Math.min(count, ...room));
          expect(granted(decisions)).toBe(expected);
          admitted.push(...Array.from({ length: expected }, () => now));
          expectExactWait(decisions, admitted, limit, now);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("never admits too many with limits above 200, and is at most a hundredth of a window too strict", {
    timeout: 60_000,
  }, async () => {
    const limits = [300, 1200, 2400];
    const accountId = await anAccountWith(limits);
    let admitted: number[] = [];
    let random = 7;
    for (let round = 0; round < 900; round++) {
      random = (random * 48_271) % 2_147_483_647;
      const [afterMs, count] = [random % 230, 1 + (random % 17)];
      await letPass(accountId, afterMs);
      admitted = admitted.map((at) => at - afterMs * 1000);
      const admittedNow = granted(await request(accountId, count));
      const now = await decidedAtUs(accountId);
      admitted.push(...Array.from({ length: admittedNow }, () => now));
      admitted = admitted.filter((at) => at > now - 61_000_000);
      const used = (us: number) => admitted.filter((at) => at > now - us).length;
      for (const [index, window] of windowsMs.entries())
        expect(used(window * 1000)).toBeLessThanOrEqual(limits[index] ?? 0);
      const roomWithTolerance = windowsMs.map((window, index) => (limits[index] ?? 0) - used(window * 1010));
      if (admittedNow < count) expect(Math.min(...roomWithTolerance)).toBeLessThanOrEqual(0);
    }
    const [row] = await database.db.query<{ entries: number }>({
      name: "entries",
      text: `select cardinality(times) as entries from rate_windows where account_id = $1`,
      values: [accountId],
    });
    expect(row?.entries).toBeLessThanOrEqual(513);
  });

  test("holds when eight batches request the same accounts in opposite orders", async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => anAccountWith([5, 50, 100])));
    const clock = await openDatabaseClock(database.db);
    const requestAll = async (order: string[]) => {
      const decide = createAcceptBatch(database.db, clock);
      const candidates = order.map(
        (accountId) =>
          ({ accountId, mode: "live", secretId: undefined, apiKeyId: undefined, send: undefined }) as const,
      );
      return Promise.all(candidates.map(decide));
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => requestAll(number % 2 === 0 ? accounts : accounts.toReversed())),
    );
    expect(granted(answers.flat())).toBe(20 * 5);
  });

  test("keeps admitting requests after the clock of the server was set back", async () => {
    const accountId = await anAccountWith([2, 2, 2]);
    expect(granted(await request(accountId, 3))).toBe(2);
    await letPass(accountId, -3_600_000);
    expect(granted(await request(accountId, 3))).toBe(2);
  });

  test("counts nothing for an account that does not exist", async () => {
    const decisions = await request(randomUUIDv7(), 2);
    expect(decisions.map((decision) => decision.kind)).toEqual(["not-allowed", "not-allowed"]);
  });
});

/** Checks that every refusal names the first moment at which one more request would fit. */
function expectExactWait(decisions: Decision[], admitted: number[], limits: number[], nowUs: number): void {
  for (const decision of decisions) {
    if (decision.kind !== "over-limit") continue;
    const waits = windowsMs.map((window, index) => {
      const within = admitted.filter((at) => at > nowUs - window * 1000).toSorted((a, b) => a - b);
      const leaving = within[within.length - (limits[index] ?? 0)];
      return leaving === undefined ? 0 : leaving + window * 1000 - nowUs;
    });
    expect(decision.retryMs).toBe(Math.max(1, Math.ceil(Math.max(...waits) / 1000)));
  }
}
