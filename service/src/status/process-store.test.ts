import { expect, test } from "vitest";
import { aHeartbeat } from "../../test/a-heartbeat.ts";
import { anAccount } from "../../test/builders.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdByOperator, releaseByOperator } from "../queue/operator-hold.ts";
import { readProcesses } from "./process-state.ts";
import { readClaimable, recordProcess, recordStop } from "./process-store.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const stateOf = async (id: string) => (await readProcesses(database.db)).find((each) => each.id === id);

test("a process is alive, then stopped; without a stop it vanishes, and a later one of its role replaces it", async () => {
  const { db } = database;
  const [first, second] = [aHeartbeat(), aHeartbeat({ startedSecondsAgo: 0 })];
  await recordProcess(db, { ...first, claimsFailingSeconds: 30, claimedSecondsAgo: { live: 40, test: null } });
  expect(await stateOf(first.id)).toMatchObject({
    condition: "alive",
    claimsFailingSeconds: expect.closeTo(30, 0),
    liveClaimedSecondsAgo: expect.closeTo(40, 0),
    startedSecondsAgo: expect.closeTo(60, 0),
  });
  await change(db, `update processes set seen_at = now() - interval '21 s' where id = '${first.id}'`);
  expect(await stateOf(first.id)).toMatchObject({ condition: "vanished", isReplaced: false });
  await recordProcess(db, second);
  expect(await stateOf(first.id)).toMatchObject({ condition: "vanished", isReplaced: true });
  await recordStop(db, second.id);
  expect(await stateOf(second.id)).toMatchObject({ condition: "stopped" });
  await recordProcess(db, first);
  expect(await stateOf(first.id)).toMatchObject({ condition: "alive", claimsFailingSeconds: null });
});

test("a process without a heartbeat for a day is forgotten", async () => {
  const { db } = database;
  const old = aHeartbeat();
  await recordProcess(db, old);
  await change(db, `update processes set seen_at = now() - interval '25 h' where id = '${old.id}'`);
  await recordProcess(db, aHeartbeat());
  expect(await stateOf(old.id)).toBeUndefined();
});

test("claimable counts from the first heartbeat that found mail, and again after a pause of the heartbeats", async () => {
  const { db } = database;
  const heartbeat = aHeartbeat({ isClaimable: { live: true, test: false } });
  const seconds = async () => (await stateOf(heartbeat.id))?.liveClaimableSeconds;
  await recordProcess(db, heartbeat);
  await change(db, `update processes set live_claimable_since = now() - interval '15 s' where id = '${heartbeat.id}'`);
  await recordProcess(db, heartbeat);
  expect(await seconds()).toBeCloseTo(15, 0);
  await change(db, `update processes set seen_at = now() - interval '60 s' where id = '${heartbeat.id}'`);
  await recordProcess(db, heartbeat);
  expect(await seconds()).toBeCloseTo(0, 0);
  await recordProcess(db, { ...heartbeat, isClaimable: { live: false, test: false } });
  expect(await seconds()).toBeNull();
});

test("processes of the last hour are listed, and the last worker however old it is", async () => {
  const { db } = database;
  await change(db, "delete from processes");
  const [oldApi, oldWorker, lastWorker, api] = [
    aHeartbeat({ role: "api" }),
    aHeartbeat(),
    aHeartbeat(),
    aHeartbeat({ role: "api" }),
  ];
  for (const each of [oldApi, oldWorker, lastWorker, api]) await recordProcess(db, each);
  const seen = (id: string, ago: string) =>
    change(db, `update processes set seen_at = now() - interval '${ago}' where id = '${id}'`);
  await seen(oldApi.id, "2 h");
  await seen(oldWorker.id, "3 h");
  await seen(lastWorker.id, "2 h");
  const listed = (await readProcesses(db)).map(({ id }) => id);
  expect(new Set(listed)).toEqual(new Set([lastWorker.id, api.id]));
  expect(listed).toHaveLength(2);
});

test("mail is claimable while it is ready, not on hold and permitted by the pace", async () => {
  const { db } = database;
  expect(await readClaimable(db)).toEqual({ live: false, test: false });
  const accountId = await anAccount(db);
  await aQueuedSend(db, { accountId });
  expect(await readClaimable(db)).toEqual({ live: true, test: false });
  await holdByOperator(db, undefined);
  expect(await readClaimable(db)).toEqual({ live: false, test: false });
  await releaseByOperator(db);
  const setPace = (interval: string) => change(db, `select set_pace('live', now() + interval '${interval}')`);
  await setPace("60 s");
  expect(await readClaimable(db)).toEqual({ live: false, test: false });
  await setPace("5 min");
  expect(await readClaimable(db)).toEqual({ live: true, test: false });
});
