import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdProvider, releaseProvider, returnProbe, storeMaxRate, takeProbe } from "./provider-hold.ts";

const database = useTestDatabase();
useEmptyQueue(database);

test("of many that hold at once one is told that it is news", async () => {
  const news = await Promise.all(Array.from({ length: 8 }, () => holdProvider(database.db, "live", "quota")));
  expect(news.filter(Boolean)).toHaveLength(1);
  expect(await stateOf("live")).toMatchObject({ hold_reason: "quota" });
  expect(await stateOf("test")).toMatchObject({ hold_reason: null });
});

test("another reason renames the hold and is news, but the hold is as old as before", async () => {
  await holdProvider(database.db, "live", "quota");
  const before = await stateOf("live");
  expect(await holdProvider(database.db, "live", "paused")).toBe(true);
  expect(await stateOf("live")).toEqual({ ...before, hold_reason: "paused" });
});

test("of many that release one does, and is told how long it was held", async () => {
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set held_since = now() - interval '90 seconds' where mode = 'live'");
  const released = await Promise.all(Array.from({ length: 8 }, () => releaseProvider(database.db, "live")));
  expect(released.filter((each) => each !== undefined)).toEqual([{ heldSeconds: expect.closeTo(90, 0) }]);
  expect(await stateOf("live")).toMatchObject({ hold_reason: null, held_since: null, probe_at: null });
});

test("a probe comes a minute after the hold, then once a minute, to one worker", async () => {
  await aReadySend();
  expect(await takeProbe(database.db, "live")).toBe(false);
  await holdProvider(database.db, "live", "quota");
  expect(await takeProbe(database.db, "live")).toBe(false);
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  const probes = await Promise.all(Array.from({ length: 8 }, () => takeProbe(database.db, "live")));
  expect(probes.filter(Boolean)).toHaveLength(1);
});

test("nobody takes a probe while no send is ready, so that the next one need not wait", async () => {
  await holdProvider(database.db, "live", "quota");
  await change(database.db, "update provider_state set probe_at = now() where mode = 'live'");
  expect(await takeProbe(database.db, "live")).toBe(false);
  await aReadySend();
  expect(await takeProbe(database.db, "live")).toBe(true);
});

test("a probe that was not handed over may be taken again at once", async () => {
  await aReadySend();
  await holdProvider(database.db, "live", "quota");
  await returnProbe(database.db, "live");
  expect(await takeProbe(database.db, "live")).toBe(true);
  await releaseProvider(database.db, "live");
  await returnProbe(database.db, "live");
  expect(await stateOf("live")).toMatchObject({ probe_at: null });
});

test("the clock of patience stands still during holds and goes on after them", async () => {
  expect(await patienceLag()).toBeCloseTo(0, 0);
  await holdProvider(database.db, "live", "quota");
  await change(
    database.db,
    "update provider_state set held_since = now() - interval '100 seconds' where mode = 'live'",
  );
  expect(await patienceLag()).toBeCloseTo(100, 0);
  await releaseProvider(database.db, "live");
  expect(await patienceLag()).toBeCloseTo(100, 0);
  await holdProvider(database.db, "live", "paused");
  await change(database.db, "update provider_state set held_since = now() - interval '50 seconds' where mode = 'live'");
  expect(await patienceLag()).toBeCloseTo(150, 0);
});

test("the rate the provider allows is kept for its mode alone", async () => {
  await storeMaxRate(database.db, "live", 14);
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

async function patienceLag(): Promise<number> {
  const [row] = await change(database.db, "select extract(epoch from now() - retry_clock('live'))::float8 as seconds");
  return Number(row?.seconds);
}
