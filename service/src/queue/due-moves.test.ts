import { beforeEach, expect, test } from "vitest";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aClaimedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { findDueMoves } from "./due-moves.ts";

const database = useTestDatabase();
useEmptyQueue(database);
beforeEach(() => change(database.db, "delete from scheduled_sends"));

const nothing = { scheduled: false, queued: false, probe: false };

test("nothing is due in an empty queue, nor for a send that a worker has", async () => {
  expect(await findDueMoves(database.db, "live")).toEqual(nothing);
  await aClaimedSend(database.db);
  expect(await findDueMoves(database.db, "live")).toEqual(nothing);
});

test.for([
  ["an expired lease", "state = 'leased', due_at = now() - interval '1 second'"],
  ["a send in doubt, before its time too", "state = 'in-doubt', due_at = now() + interval '1 hour'"],
  ["a due retry", "state = 'waiting', due_at = now()"],
  ["a parked send", "state = 'parked', due_at = now()"],
  ["an expired ready send", "state = 'ready', due_at = null, expires_at = now()"],
  ["an expired parked send", "state = 'parked', due_at = now(), expires_at = now()"],
] as const)("%s is a move of the queue, in its mode only", async ([, changes]) => {
  const send = await aClaimedSend(database.db);
  await change(database.db, `update send_queue set ${changes} where id = $1`, [send.id]);
  expect(await findDueMoves(database.db, "live")).toEqual({ ...nothing, queued: true });
  expect(await findDueMoves(database.db, "test")).toEqual(nothing);
});

test.for([
  ["a retry that is due later", "state = 'waiting', due_at = now() + interval '1 minute'"],
  ["a ready send that expires later", "state = 'ready', due_at = null, expires_at = now() + interval '1 minute'"],
] as const)("%s is no move", async ([, changes]) => {
  const send = await aClaimedSend(database.db);
  await change(database.db, `update send_queue set ${changes} where id = $1`, [send.id]);
  expect(await findDueMoves(database.db, "live")).toEqual(nothing);
});

test("a denied domain is a move of live mail, even when its mail is gone", async () => {
  const { fromDomain } = await aClaimedSend(database.db);
  await change(database.db, "delete from send_queue");
  await change(
    database.db,
    "update domains set denied_since = now(), denial_code = 'AccessDeniedException', probe_at = now() where domain_name = $1",
    [fromDomain],
  );
  expect(await findDueMoves(database.db, "live")).toEqual({ ...nothing, queued: true });
  expect(await findDueMoves(database.db, "test")).toEqual(nothing);
});

test("a scheduled send is due at its time", async () => {
  const { accountId } = await aClaimedSend(database.db);
  await aScheduledSend(database.db, { accountId, dueInSeconds: 60 });
  expect(await findDueMoves(database.db, "live")).toEqual(nothing);
  await aScheduledSend(database.db, { accountId, dueInSeconds: -1 });
  expect(await findDueMoves(database.db, "live")).toEqual({ ...nothing, scheduled: true });
});

test("a held provider may need a probe", async () => {
  await change(
    database.db,
    "update provider_state set hold_reason = 'quota', held_since = now(), probe_at = now() where mode = 'live'",
  );
  expect(await findDueMoves(database.db, "live")).toEqual({ ...nothing, probe: true });
  expect(await findDueMoves(database.db, "test")).toEqual(nothing);
});
