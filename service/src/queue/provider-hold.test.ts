import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdProvider, releaseProvider, returnProbe, storeQuota, takeProbe } from "./provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("of eight workers that hold the provider at the same time one learns that the reason changed", async () => {
  const changed = await Promise.all(Array.from({ length: 8 }, () => holdProvider(database.db, "live", "quota")));
  expect(changed.filter(Boolean)).toHaveLength(1);
  expect(await stateOf("live")).toMatchObject({ hold_reason: "quota" });
  expect(await stateOf("test")).toMatchObject({ hold_reason: null });
});

test("another reason replaces the reason of the hold and keeps its start", async () => {
  await holdProvider(database.db, "live", "quota");
  const before = await stateOf("live");
  expect(await holdProvider(database.db, "live", "paused")).toBe(true);
  expect(await stateOf("live")).toEqual({ ...before, hold_reason: "paused" });
});

test("of eight workers that release the provider one does it and learns how long the hold was on", async () => {
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set held_since = now() - interval '90 seconds' where mode = 'live'");
  const released = await Promise.all(Array.from({ length: 8 }, () => releaseProvider(database.db, "live")));
  expect(released.filter((each) => each !== undefined)).toEqual([{ heldSeconds: expect.closeTo(90, 0) }]);
  expect(await stateOf("live")).toMatchObject({ hold_reason: null, held_since: null, probe_at: null });
});

test("a probe is due a minute after the hold, and one of eight workers takes it", async () => {
  await aReadySend();
  expect(await takeProbe(database.db, "live")).toBe(false);
  await holdProvider(database.db, "live", "quota");
  expect(await takeProbe(database.db, "live")).toBe(false);
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  const probes = await Promise.all(Array.from({ length: 8 }, () => takeProbe(database.db, "live")));
  expect(probes.filter(Boolean)).toHaveLength(1);
});

test("no worker takes a probe while no send is ready, so that the next send need not wait", async () => {
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  expect(await takeProbe(database.db, "live")).toBe(false);
  await aReadySend();
  expect(await takeProbe(database.db, "live")).toBe(true);
});

test("a probe that was not submitted may be taken again immediately", async () => {
  await aReadySend();
  await holdProvider(database.db, "live", "quota");
  await returnProbe(database.db, "live");
  expect(await takeProbe(database.db, "live")).toBe(true);
  await releaseProvider(database.db, "live");
  await returnProbe(database.db, "live");
  expect(await stateOf("live")).toMatchObject({ probe_at: null });
});

test("the retry clock stops during holds and continues after them", async () => {
  expect(await retryClockLag()).toBeCloseTo(0, 0);
  await holdProvider(database.db, "live", "quota");
  await change(
    database.db,
    "update provider_state set held_since = now() - interval '100 seconds' where mode = 'live'",
  );
  expect(await retryClockLag()).toBeCloseTo(100, 0);
  await releaseProvider(database.db, "live");
  expect(await retryClockLag()).toBeCloseTo(100, 0);
  await holdProvider(database.db, "live", "paused");
  await change(database.db, "update provider_state set held_since = now() - interval '50 seconds' where mode = 'live'");
  expect(await retryClockLag()).toBeCloseTo(150, 0);
});

test("the rate that the provider allows is stored for its mode only", async () => {
  await storeQuota(database.db, "live", { perSecond: 14, enforcementStatus: "HEALTHY" });
  const rows = await change(database.db, "select mode, max_per_second from provider_state order by mode");
  expect(rows).toEqual([
    { mode: "live", max_per_second: 14 },
    { mode: "test", max_per_second: 1_000_000 },
  ]);
});

async function aReadySend(): Promise<void> {
  await aQueuedSend(database.db, { accountId: await anAccount(database.db) });
}

async function stateOf(mode: string) {
  const [row] = await change(
    database.db,
    "select hold_reason, held_since, probe_at from provider_state where mode = $1",
    [mode],
  );
  return row;
}

async function retryClockLag(): Promise<number> {
  const [row] = await change(database.db, "select extract(epoch from now() - retry_clock('live'))::float8 as seconds");
  return Number(row?.seconds);
}
