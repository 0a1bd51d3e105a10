import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import {
  afterRetention,
  ageCopies,
  countKept,
  dropToday,
  isDropped,
  weekOfToday,
} from "../../test/expired-contents.ts";
import { aDatabase, value } from "../../test/partitioned-database.ts";
import {
  aClaimedSend,
  aQueuedSend,
  attemptOf,
  aVerifiedDomain,
  claimAgain,
  testContentKeys,
} from "../../test/send-builders.ts";
import { change, queueRow } from "../../test/send-rows.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { holdAccount, releaseAccount } from "../accounts/account-store.ts";
import type { Database, Queryable } from "../db/database.ts";
import { parkSends, unparkSends } from "../queue/parked-sends.ts";
import { markInDoubt, markSent, retryLater } from "../queue/settle-sends.ts";
import { openContent } from "../sends/content.ts";
import { inspectSend } from "../sends/inspect-send.ts";
import { keepUnfinishedContents } from "./keep-contents.ts";

test("one parked send does not keep the content of others: its week is dropped, and the send goes out after the release", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  const finished = await aClaimedSend(db);
  await markSent(db, [{ ...attemptOf(finished), outcome: "accepted", providerMessageId: "m-1" }]);
  const { id, accountId } = await aParkedSend(db);

  expect(await dropToday(db)).toMatchObject({ kept: 1, failure: undefined });
  await ageCopies(db);
  expect((await dropToday(db)).partitions).toContain(week);
  expect(await isDropped(db, week)).toBe(true);
  expect(await inspectSend(db, finished.id)).toMatchObject({ hasContent: false });
  expect(await inspectSend(db, id)).toMatchObject({ hasContent: true });

  await releaseAccount(db, accountId);
  expect(await unparkSends(db, "live")).toBe(1);
  const claimed = await claimAgain(db, id);
  expect(openContent(testContentKeys, { accountId, sendId: id }, claimed.sealed ?? Buffer.alloc(0))).toMatchObject({
    subject: "Your order",
    text: "It is on its way.",
  });
  expect(await dropToday(db)).toMatchObject({ forgotten: 0 });
  await markSent(db, [{ ...attemptOf(claimed), outcome: "accepted", providerMessageId: "m-2" }]);
  expect(await dropToday(db)).toMatchObject({ forgotten: 1 });
  expect(await countKept(db)).toBe(0);
});

test("a week is dropped only when the copies are a minute old, so that every running statement can see them", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  await aParkedSend(db);
  for (let run = 0; run < 2; run++) await dropToday(db);
  expect(await isDropped(db, week)).toBe(false);
  await ageCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);
});

test("leased, waiting, in-doubt and ready sends keep their content too, and a send without content does not block the week", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  const leased = await aClaimedSend(db);
  const waiting = await aClaimedSend(db);
  const later = { outcome: "try-later", delaySeconds: 60, usesRetryWindow: true } as const;
  await retryLater(db, [{ ...attemptOf(waiting), ...later }]);
  const inDoubt = await aClaimedSend(db);
  await markInDoubt(db, [{ ...attemptOf(inDoubt), outcome: "unknown" }]);
  const ready = await aQueuedSend(db, { accountId: await anAccount(db) });
  const without = await aQueuedSend(db, { accountId: await anAccount(db), hasContent: false });
  expect(await dropToday(db)).toMatchObject({ kept: 4 });
  await ageCopies(db);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);

  await change(db, "update send_queue set state = 'ready', due_at = null");
  await claimAgain(db, without);
  for (const id of [leased.id, waiting.id, inDoubt.id, ready]) {
    expect(await queueRow(db, id)).toMatchObject({ state: "leased" });
    expect(await inspectSend(db, id)).toMatchObject({ hasContent: true });
  }
});

test("after a crash between the steps, or in the middle of the drop, the next run continues and loses nothing", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  const { id } = await aParkedSend(db);
  const endId = String(await value(db, `select first_id_at('${afterRetention}')`));
  expect(await keepUnfinishedContents(db, endId)).toBe(1);
  expect(await keepUnfinishedContents(db, endId)).toBe(0);
  await ageCopies(db);
  const crashed = db.withTransaction(async (tx) => {
    while ((await value(tx, `select drop_oldest_contents(30, '${afterRetention}')`)) !== null);
    expect(await isDropped(tx, week)).toBe(true);
    throw new Error("the process dies here");
  });
  await expect(crashed).rejects.toThrow("dies here");
  expect(await isDropped(db, week)).toBe(false);
  await dropToday(db);
  expect(await isDropped(db, week)).toBe(true);
  expect(await inspectSend(db, id)).toMatchObject({ hasContent: true });
});

test("10,000 parked sends are copied in batches, by two workers at the same time, and their week is dropped", async () => {
  const { db } = await aDatabase(copyTemplate);
  const week = await weekOfToday(db);
  await change(
    db,
    `with stored as (
       insert into send_queue (id, account_id, mode, state, fair_at, due_at, from_domain, recipients)
       select new_id_at(now()), gen_random_uuid(), 'live', 'parked', now(), now(), 'shop.test', '{jane@example.test}'
       from generate_series(1, 10000)
       returning id
     )
     insert into send_contents (id, sealed)
     select id, decode(md5(id::text), 'hex')
     from stored`,
  );
  const endId = String(await value(db, `select first_id_at('${afterRetention}')`));
  const [one, other] = await Promise.all([keepUnfinishedContents(db, endId), keepUnfinishedContents(db, endId)]);
  expect(one + other).toBe(10_000);
  await ageCopies(db);
  expect(await dropToday(db)).toMatchObject({ kept: 0, forgotten: 0, failure: undefined });
  expect(await isDropped(db, week)).toBe(true);
  const intact =
    "select count(*) from kept_contents k join send_queue q on q.id = k.id where k.sealed = decode(md5(k.id::text), 'hex')";
  expect(await value(db, intact)).toBe(10_000);
});

test("a batch of copies ends when it has enough bytes, and the next one continues behind it", async () => {
  const { db } = await aDatabase(copyTemplate);
  const accountId = await anAccount(db);
  for (let count = 0; count < 5; count++) await aQueuedSend(db, { accountId });
  let batches = 0;
  const counting: Queryable = {
    query(statement) {
      batches++;
      return db.query(statement);
    },
  };
  const endId = String(await value(db, `select first_id_at('${afterRetention}')`));
  expect(await keepUnfinishedContents(counting, endId, 1)).toBe(5);
  expect(batches).toBe(6);
});

async function aParkedSend(db: Database): Promise<{ id: string; accountId: string }> {
  const accountId = await anAccount(db);
  const id = await aQueuedSend(db, { accountId, fromDomain: await aVerifiedDomain(db, accountId) });
  await holdAccount(db, accountId, undefined);
  await parkSends(db, accountId);
  expect(await queueRow(db, id)).toMatchObject({ state: "parked" });
  return { id, accountId };
}
