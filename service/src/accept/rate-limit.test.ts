import { randomUUIDv7 } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createAcceptBatch, type Decision } from "./accept-batch.ts";
import { createRateRefusals } from "./rate-refusals.ts";

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

/** Requests that arrive together; they carry no payload, so they are counted and nothing else. */
async function request(accountId: string, count: number): Promise<Decision[]> {
  const decide = createAcceptBatch(database.db, await openDatabaseClock(database.db));
  const candidate = { accountId, mode: "live", keyHmac: undefined, send: undefined } as const;
  return Promise.all(Array.from({ length: count }, () => decide(candidate)));
}

/** Lets time pass for one account by moving what it did into the past. */
async function letPass(accountId: string, ms: number): Promise<void> {
  await database.db.query({
    name: "let-pass",
    text: `
      update rate_windows
      set times = array(select t - make_interval(secs => $2) from unnest(times) with ordinality as e (t) order by e.ordinality)
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
        // Instants of admitted requests in microseconds, on the same moved clock.
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
          requireTrueWait(decisions, admitted, limit, now);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("never admits too many above 200, and is at most a hundredth of a window too strict", {
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
      const fits = granted(await request(accountId, count));
      const now = await decidedAtUs(accountId);
      admitted.push(...Array.from({ length: fits }, () => now));
      admitted = admitted.filter((at) => at > now - 61_000_000);
      const used = (us: number) => admitted.filter((at) => at > now - us).length;
      for (const [index, window] of windowsMs.entries())
        expect(used(window * 1000)).toBeLessThanOrEqual(limits[index] ?? 0);
      const strictest = windowsMs.map((window, index) => (limits[index] ?? 0) - used(window * 1010));
      if (fits < count) expect(Math.min(...strictest)).toBeLessThanOrEqual(0);
    }
    const [row] = await database.db.query<{ entries: number }>({
      name: "entries",
      text: `select cardinality(times) as entries from rate_windows where account_id = $1`,
      values: [accountId],
    });
    expect(row?.entries).toBeLessThanOrEqual(513);
  });

  test("holds when eight connections ask for the same accounts in opposite orders", async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => anAccountWith([5, 50, 100])));
    const clock = await openDatabaseClock(database.db);
    const ask = async (order: string[]) => {
      const decide = createAcceptBatch(database.db, clock);
      const candidates = order.map(
        (accountId) => ({ accountId, mode: "live", keyHmac: undefined, send: undefined }) as const,
      );
      return Promise.all(candidates.map(decide));
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, number) => ask(number % 2 === 0 ? accounts : accounts.toReversed())),
    );
    expect(granted(answers.flat())).toBe(20 * 5);
  });

  test("goes on when the clock of the server was set back", async () => {
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

/** What is refused is told the first moment at which one more would fit. */
function requireTrueWait(decisions: Decision[], admitted: number[], limits: number[], nowUs: number): void {
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

describe("refusals from memory", () => {
  const usage = { limits: [1, 1, 1], remaining: [0, 0, 0] };
  const account = { accountId: "a", mode: "live" } as const;

  test("last until the window opens, for that account and mode only", () => {
    let now = 5;
    const refusals = createRateRefusals(() => now);
    refusals.remember(account, 100, usage);
    expect(refusals.find(account)).toEqual({ retryMs: 100, usage });
    expect(refusals.find({ ...account, mode: "test" })).toBeUndefined();
    now = 104.5;
    expect(refusals.find(account)?.retryMs).toBe(1);
    now = 105;
    expect(refusals.find(account)).toBeUndefined();
  });

  test("take a bounded amount of memory", () => {
    const refusals = createRateRefusals(() => 0);
    for (let number = 0; number < 10_001; number++)
      refusals.remember({ ...account, accountId: `${number}` }, 10, usage);
    expect(refusals.find({ ...account, accountId: "0" })).toBeUndefined();
    expect(refusals.find({ ...account, accountId: "10000" })).toBeDefined();
  });
});
