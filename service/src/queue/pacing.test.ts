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
/** Eleven seconds between two recipients, so that a busy machine does not reach the next time between two statements. */
const slowSpacingMs = 1000 / (0.9 * 0.1);

describe("reserving", () => {
  test("the first reservation is granted immediately, and every later one gets the time to wait", async () => {
    await readySends(3);
    await useSlowRate();
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
    for (const grant of [await take(), await take()]) {
      expect(grant?.recipients).toBe(0);
      expect(grant?.waitMs).toBeGreaterThan(0);
      expect(grant?.waitMs).toBeLessThanOrEqual(Math.ceil(slowSpacingMs));
    }
    await setNext(0);
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
  });

  test("a short delay is made up for, but a long stall does not end in a burst", async () => {
    await readySends(3);
    await setNext(-0.01);
    await take();
    expect(await nextInSeconds()).toBeLessThanOrEqual(spacingMs / 1000 - 0.009);
    await useSlowRate();
    await setNext(-5);
    await take();
    expect(await nextInSeconds()).toBeGreaterThan(slowSpacingMs / 1000 - 2.5);
  });

  test("nothing is reserved when no send of this mode is ready", async () => {
    expect(await take()).toBeUndefined();
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), mode: "test" });
    expect(await take()).toBeUndefined();
    expect(await nextInSeconds()).toBeLessThan(0);
  });

  test("a reservation returns the first ready fair_at, and whether it is behind the fair_at of new sends", async () => {
    const accountId = await anAccount(database.db);
    expect((await scan()).first).toMatchObject({ isBehind: false });
    await aQueuedSend(database.db, { accountId });
    expect((await scan()).first).toMatchObject({ isBehind: false });
    await aQueuedSend(database.db, { accountId, fairInSeconds: -60 });
    const { first } = await scan();
    expect(first?.isBehind).toBe(true);
    expect((Date.now() - Date.parse(first?.at ?? "")) / 1000).toBeCloseTo(60, -1);
    await holdProvider(database.db, "live", "quota");
    expect((await scan()).first).toBeUndefined();
  });

  test("a grant has the first fair_at, and a scan from there finds a send that is queued later with an earlier fair_at", async () => {
    const accountId = await anAccount(database.db);
    await aQueuedSend(database.db, { accountId, fairInSeconds: 3600 });
    const { grant, first } = await scan();
    expect((Date.parse(grant?.fromFairAt ?? "") - Date.now()) / 1000).toBeCloseTo(3600, -1);
    await aQueuedSend(database.db, { accountId: await anAccount(database.db), fairInSeconds: 0 });
    await setNext(0);
    const later = await reserve(database.db, { mode: "live", wanted: 1, scanFrom: first?.at ?? "" });
    expect(Math.abs(Date.parse(later.grant?.fromFairAt ?? "") - Date.now())).toBeLessThan(5_000);
  });

  test("nothing is reserved while the provider is held", async () => {
    await readySends(1);
    await holdProvider(database.db, "live", "quota");
    expect(await take()).toBeUndefined();
  });

  test("a next time an hour ahead is ignored: the clock of the server was set back", async () => {
    await readySends(1);
    await setNext(3600);
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
  });

  test("after a crash that lost the pace, the next reservation is granted immediately", async () => {
    await readySends(1);
    await take();
    await change(database.db, "alter sequence pace_live restart");
    expect(await take()).toMatchObject({ recipients: 1, waitMs: 0 });
    expect(await nextInSeconds()).toBeLessThan(0.08);
  });

  test("while the rate is unknown, it is one recipient a second", async () => {
    await readySends(5);
    await change(database.db, "update provider_state set max_per_second = null");
    expect(await take()).toMatchObject({ recipients: 1 });
    expect(await nextInSeconds()).toBeGreaterThan(0.5);
    expect(await take()).toMatchObject({ recipients: 0 });
  });

  test("a grant is a twentieth of the rate, and at most the wanted recipients and the ready sends", async () => {
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
  test("the unused part is returned if no worker has reserved since", async () => {
    await change(database.db, "update provider_state set max_per_second = 100");
    await readySends(5);
    const grant = await granted();
    await settleGrant(database.db, grant, 2);
    expect(await nextIsBefore(grant.until, 3 / 90)).toBe(true);
  });

  test("the unused part is lost if another worker has reserved since", async () => {
    await readySends(2);
    const grant = await granted();
    await setNext(0);
    const other = await granted();
    await settleGrant(database.db, grant, 0);
    expect(await nextIsBefore(other.until, 0)).toBe(true);
  });

  test("recipients beyond the grant are charged, even if another worker has reserved since", async () => {
    await readySends(2);
    const grant = await granted();
    await setNext(0);
    const other = await granted();
    await settleGrant(database.db, grant, 50);
    expect(await nextIsBefore(other.until, -49 / 12.6)).toBe(true);
  });

  test("two throttled answers stop all workers for one second, not two", async () => {
    await readySends(1);
    await take();
    await slowDown(database.db, "live");
    await slowDown(database.db, "live");
    const next = await nextInSeconds();
    expect(next).toBeGreaterThan(0.5);
    expect(next).toBeLessThanOrEqual(1);
  });
});

test("at a rate of 14, three workers together never get more than 12.6 recipients a second, and at most 14 in any second", async () => {
  await readySends(50);
  // From now on, so that the first grants do not make up for lost time.
  await setNext(0);
  const grantedAt: number[] = [];
  const grantedUntil: number[] = [];
  const worker = async () => {
    while (grantedAt.length < 40) {
      const grant = await take();
      if (grant === undefined) throw new Error("no send is ready");
      if (grant.recipients === 1) {
        grantedAt.push(performance.now());
        grantedUntil.push(await epochSeconds(grant.until));
      }
      await sleep(grant.waitMs);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  for (const start of grantedAt) {
    expect(grantedAt.filter((at) => at >= start && at < start + 1_000).length).toBeLessThanOrEqual(14);
  }
  // By the shared clock: the arrival of the first answer may be late, which would make the rate look higher than it was.
  const rate = (grantedUntil.length - 1) / (Math.max(...grantedUntil) - Math.min(...grantedUntil));
  // A busy machine grants later, and no more than 25 ms of that is made up for. With time to spare the rate is 12 or more.
  expect(rate).toBeGreaterThan(6);
  expect(rate).toBeLessThan(12.601);
});

function scan(wanted = 100) {
  return reserve(database.db, { mode: "live", wanted, scanFrom: "-infinity" });
}

async function take(wanted = 100): Promise<Grant | undefined> {
  return (await scan(wanted)).grant;
}

async function granted(): Promise<Grant> {
  const grant = await take();
  if (grant === undefined || grant.recipients === 0) throw new Error("nothing was granted");
  return grant;
}

async function epochSeconds(time: string): Promise<number> {
  const [row] = await database.db.query<{ seconds: number }>({
    name: "test-epoch-seconds",
    text: "select extract(epoch from $1::timestamptz)::float8 as seconds",
    values: [time],
  });
  return row?.seconds ?? Number.NaN;
}

async function readySends(count: number): Promise<void> {
  const accountId = await anAccount(database.db);
  await Promise.all(Array.from({ length: count }, () => aQueuedSend(database.db, { accountId })));
}

async function useSlowRate(): Promise<void> {
  await change(database.db, "update provider_state set max_per_second = 0.1");
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

/** Allows ten microseconds, because PostgreSQL rounds each addition to one. */
async function nextIsBefore(until: string, seconds: number): Promise<boolean> {
  const [row] = await change(
    database.db,
    "select extract(epoch from $1::timestamptz - lock_pace('live'))::float8 as seconds",
    [until],
  );
  return Math.abs(Number(row?.seconds) - seconds) < 0.000_01;
}
