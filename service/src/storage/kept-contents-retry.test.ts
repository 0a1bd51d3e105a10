import { expect, test, vi } from "vitest";
import { ageCopies, countKept, dropToday, isDropped, weekOfToday } from "../../test/expired-contents.ts";
import { aConnection, aDatabase, value } from "../../test/partitioned-database.ts";
import { aClaimedSend, attemptOf, claimAgain } from "../../test/send-builders.ts";
import { change, queueRow, sendRow } from "../../test/send-rows.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Database, Queryable } from "../db/database.ts";
import { sqlState } from "../db/sql-state.ts";
import type { ClaimedSend } from "../queue/claim-sends.ts";
import { findFailed, retryFailed } from "../queue/retry-failed.ts";
import { markFailed } from "../queue/settle-sends.ts";
import { inspectSend } from "../sends/inspect-send.ts";

test("a retry that is committed while the drop waits for its lock keeps its content", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  const send = await aFailedSend(db);
  await dropEarlierWeeks(db);
  await value(db, "alter function drop_oldest_contents (integer, timestamptz) set lock_timeout = '10s'");
  const watcher = aConnection(url);
  let drop: ReturnType<typeof dropToday> | undefined;
  await aConnection(url).withTransaction(async (tx) => {
    expect(await retry(tx, send)).toEqual([send.id]);
    drop = dropToday(db);
    await vi.waitFor(async () => expect(await countWaitingForLock(watcher)).toBe(1), { interval: 10 });
  });
  expect(await drop).toMatchObject({ failure: undefined });
  expect(await isDropped(db, week)).toBe(false);
  expect(await dropToday(db)).toMatchObject({ kept: 1 });
  await ageCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);
  await change(db, "update send_queue set state = 'ready', due_at = null");
  expect((await claimAgain(db, send.id)).sealed).toEqual(send.sealed);
});

test("a retry that takes long makes the drop give up, and the week stays", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  const send = await aFailedSend(db);
  await aConnection(url).withTransaction(async (tx) => {
    await retry(tx, send);
    expect(sqlState((await dropToday(db)).failure)).toBe("55P03");
  });
  expect(await isDropped(db, week)).toBe(false);
});

test("a send that an API with a slow clock stores in the week makes the drop give up", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  await aConnection(url).withTransaction(async (tx) => {
    await value(tx, "insert into send_contents (id, sealed) values (new_id_at(now()), '')");
    expect(sqlState((await dropToday(db)).failure)).toBe("55P03");
  });
  expect(await isDropped(db, week)).toBe(false);
});

test("a failed send can be retried while its copy exists, and the copy of a retried send is not deleted", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const send = await aFailedSendWithoutWeek(db);
  await aConnection(url).withTransaction(async (tx) => {
    expect(await retry(tx, send)).toEqual([send.id]);
    // The retry is not committed, so the queue still looks empty to this run.
    expect(await dropToday(db)).toMatchObject({ forgotten: 0, failure: undefined });
  });
  expect(await dropToday(db)).toMatchObject({ forgotten: 0 });
  expect(await queueRow(db, send.id)).toMatchObject({ state: "waiting" });
  expect(await inspectSend(db, send.id)).toMatchObject({ hasContent: true });
});

test("a retry that waits for the deletion of the copy finds no content and leaves the send failed", async () => {
  const { db, url } = await aDatabase(copyTemplate);
  const send = await aFailedSendWithoutWeek(db);
  const watcher = aConnection(url);
  let retried: Promise<string[]> | undefined;
  await aConnection(url).withTransaction(async (tx) => {
    await value(tx, "delete from kept_contents");
    retried = retry(db, send);
    await vi.waitFor(async () => expect(await countWaitingForLock(watcher)).toBe(1), { interval: 10 });
  });
  expect(await retried).toEqual([]);
  expect(await sendRow(db, send.id)).toMatchObject({ status: "failed" });
  expect(await queueRow(db, send.id)).toBeUndefined();
});

test("once the copy of a failed send is deleted, the operator sees that it has no content", async () => {
  const { db } = await aDatabase(copyTemplate);
  const send = await aFailedSendWithoutWeek(db);
  const filter = { code: "PROVIDER_UNAVAILABLE", since: new Date(0).toISOString(), accountId: undefined } as const;
  const obstacles = async () => (await findFailed(db, filter, undefined)).failed.map(({ obstacle }) => obstacle);
  expect(await obstacles()).toEqual([null]);
  expect(await dropToday(db)).toMatchObject({ forgotten: 1 });
  expect([await countKept(db), await obstacles(), await retry(db, send)]).toEqual([0, ["no content"], []]);
});

async function aFailedSend(db: Database): Promise<ClaimedSend> {
  const send = await aClaimedSend(db);
  await fail(db, send);
  return send;
}

/** Failed after its week was dropped: only `kept_contents` has its content. */
async function aFailedSendWithoutWeek(db: Database): Promise<ClaimedSend> {
  const send = await aClaimedSend(db);
  await dropToday(db);
  await ageCopies(db);
  await dropToday(db);
  await fail(db, send);
  expect(await countKept(db)).toBe(1);
  return send;
}

function fail(db: Database, send: ClaimedSend) {
  const code = "PROVIDER_UNAVAILABLE" as const;
  return markFailed(db, [{ ...attemptOf(send), outcome: "try-later", code, message: "SES was unavailable." }]);
}

function retry(db: Queryable, { id, fromDomain }: ClaimedSend): Promise<string[]> {
  return retryFailed(db, "PROVIDER_UNAVAILABLE", [{ id, fromDomain, position: 1 }]);
}

/** So that the next run begins with the week of today. */
async function dropEarlierWeeks(db: Database): Promise<void> {
  await value(
    db,
    `do $$
     declare earlier text;
     begin
       for earlier in select name from partition_ranges where parent = 'send_contents' and ends_at <= now() loop
         execute format('drop table %I', earlier);
       end loop;
     end $$`,
  );
}

async function countWaitingForLock(watcher: Database): Promise<unknown> {
  return value(
    watcher,
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
}
