import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Grant, reserve, settleGrant, slowDown } from "./pacing.ts";
import { holdProvider } from "./provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database, { maxPerSecond: 14 });

const spacingMs = 1000 / (0.9 * 14);

describe("reserving", () => {
  test("the first may go at once, and the next hears how long its turn is away, whoever asks", async () => {
    await readySends(3);
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
    for (const grant of [await take(), await take()]) {
      expect(grant?.recipients).toBe(0);
      expect(grant?.waitMs).toBeGreaterThan(0);
      expect(grant?.waitMs).toBeLessThanOrEqual(Math.ceil(spacingMs));
    }
    await setNext(0);
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
  });

  test("a little lateness is made up for, and no more: a stall does not end in a burst", async () => {
    await readySends(3);
    await setNext(-0.01);
    await take();
    expect(await nextInSeconds()).toBeLessThanOrEqual(spacingMs / 1000 - 0.009);
    await setNext(-5);
    await take();
    expect(await nextInSeconds()).toBeGreaterThan(spacingMs / 1000 - 0.026 - 0.02);
  });

  test("nothing is taken when nothing is ready, and none of another mode counts", async () => {
    expect(await take()).toBeUndefined();
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), mode: "test" });
    expect(await take()).toBeUndefined();
    expect(await nextInSeconds()).toBeLessThan(0);
  });

  test("the first turn that is ready is told, and whether it lies behind those of newcomers", async () => {
    const accountId = await anAccount(database.db);
    expect((await look()).mark).toMatchObject({ isBehind: false });
    await aQueuedSend(database.db, { accountId });
    expect((await look()).mark).toMatchObject({ isBehind: false });
    await aQueuedSend(database.db, { accountId, fairInSeconds: -60 });
    const { mark } = await look();
    expect(mark?.isBehind).toBe(true);
    expect((Date.now() - Date.parse(mark?.at ?? "")) / 1000).toBeCloseTo(60, -1);
    await holdProvider(database.db, "live", "quota");
    expect((await look()).mark).toBeUndefined();
  });

  test("a grant names the first turn, and a look from the mark finds those who come later with an earlier one", async () => {
    const accountId = await anAccount(database.db);
    await aQueuedSend(database.db, { accountId, fairInSeconds: 3600 });
    const { grant, mark } = await look();
    expect((Date.parse(grant?.fromFairAt ?? "") - Date.now()) / 1000).toBeCloseTo(3600, -1);
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fairInSeconds: 0 });
    await setNext(0);
    const later = await reserve(database.db, { mode: "live", wanted: 1, scanStart: mark?.at ?? "" });
    expect(Math.abs(Date.parse(later.grant?.fromFairAt ?? "") - Date.now())).toBeLessThan(5_000);
  });

  test("nothing is taken while the provider is held", async () => {
    await readySends(1);
    await holdProvider(database.db, "live", "quota");
    expect(await take()).toBeUndefined();
  });

  test("a time far ahead is another clock's and holds nobody up", async () => {
    await readySends(1);
    await setNext(3600);
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
  });

  test("a pace that was lost in a crash holds nobody up", async () => {
    await readySends(1);
    await take();
    await change(database.db, "alter sequence pace_live restart");
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
    expect(await nextInSeconds()).toBeLessThan(0.08);
  });

  test("while the rate is unknown, it is one a second", async () => {
    await readySends(5);
    await change(database.db, "update provider_state set max_per_second = null");
    expect(await take()).toMatchObject({ recipients: 1 });
    expect(await nextInSeconds()).toBeGreaterThan(1);
    expect(await take()).toMatchObject({ recipients: 0 });
  });

  test("a grant is a twentieth of the rate, no more than wanted and no more than there is", async () => {
    await change(database.db, "update provider_state set max_per_second = 100");
    await readySends(7);
    expect(await take()).toMatchObject({ recipients: 5 });
    await setNext(0);
    expect(await take(2)).toMatchObject({ recipients: 2 });
    await change(database.db, "update provider_state set max_per_second = 1000");
    await setNext(0);
    expect(await take()).toMatchObject({ recipients: 7 });
  });
});

describe("settling a grant", () => {
  test("what was not used is given back when nobody reserved since", async () => {
    await change(database.db, "update provider_state set max_per_second = 100");
    await readySends(5);
    const grant = await granted();
    await settleGrant(database.db, grant, 2);
    expect(await nextIsBefore(grant.until, 3 / 90)).toBe(true);
  });

  test("what was not used is lost when another has reserved since", async () => {
    await readySends(2);
    const grant = await granted();
    await setNext(0);
    const other = await granted();
    await settleGrant(database.db, grant, 0);
    expect(await nextIsBefore(other.until, 0)).toBe(true);
  });

  test("recipients beyond the grant are charged, whoever reserved since", async () => {
    await readySends(2);
    const grant = await granted();
    await setNext(0);
    const other = await granted();
    await settleGrant(database.db, grant, 50);
    expect(await nextIsBefore(other.until, -49 / 12.6)).toBe(true);
  });

  test("a throttled answer stops all for a second and never longer", async () => {
    await readySends(1);
    await take();
    await slowDown(database.db, "live");
    await slowDown(database.db, "live");
    const next = await nextInSeconds();
    expect(next).toBeGreaterThan(0.9);
    expect(next).toBeLessThanOrEqual(1);
  });
});

test("three workers together get 12 to 12.6 of 14 a second, at most 14 of them in any second", async () => {
  await readySends(50);
  // Not long ago, so that nothing is made up for at the start.
  await setNext(0);
  const turns: number[] = [];
  const worker = async () => {
    while (turns.length < 40) {
      const grant = await take();
      if (grant === undefined) throw new Error("something is ready");
      if (grant.recipients === 1) turns.push(performance.now());
      await sleep(grant.waitMs);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  for (const start of turns) {
    expect(turns.filter((turn) => turn >= start && turn < start + 1_000).length).toBeLessThanOrEqual(14);
  }
  const rate = (1000 * (turns.length - 1)) / ((turns.at(-1) ?? 0) - (turns[0] ?? 0));
  expect(rate).toBeGreaterThan(11.5);
  expect(rate).toBeLessThan(12.65);
});

function look(wanted = 100) {
  return reserve(database.db, { mode: "live", wanted, scanStart: "-infinity" });
}

async function take(wanted = 100): Promise<Grant | undefined> {
  return (await look(wanted)).grant;
}

async function granted(): Promise<Grant> {
  const grant = await take();
  if (grant === undefined || grant.recipients === 0) throw new Error("nothing was granted");
  return grant;
}

async function readySends(count: number): Promise<void> {
  const accountId = await anAccount(database.db);
  await Promise.all(Array.from({ length: count }, () => aQueuedSend(database.db, { accountId })));
}

async function setNext(seconds: number): Promise<void> {
  await change(database.db, "select set_pace('live', clock_timestamp() + make_interval(secs => $1))", [seconds]);
}

async function nextInSeconds(): Promise<number> {
  const [row] = await change(
    database.db,
    "select extract(epoch from lock_pace('live') - clock_timestamp())::float8 as seconds",
  );
  return Number(row?.seconds);
}

/** Exact to a microsecond for each addition that was rounded. */
async function nextIsBefore(until: string, seconds: number): Promise<boolean> {
  const [row] = await change(
    database.db,
    "select extract(epoch from $1::timestamptz - lock_pace('live'))::float8 as seconds",
    [until],
  );
  return Math.abs(Number(row?.seconds) - seconds) < 0.000_01;
}
