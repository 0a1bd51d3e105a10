import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { inDays } from "../../test/partitioned-database.ts";
import { aScheduledSend, isScheduled } from "../../test/scheduled-sends.ts";
import { aQueuedSend, aVerifiedDomain, claimAgain } from "../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount } from "../accounts/account-store.ts";
import { declareFailover } from "../in-doubt/failover-store.ts";
import { FailoverWatch } from "../in-doubt/failover-watch.ts";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { cancelSend } from "../queue/cancel-send.ts";
import { cancelSends } from "../queue/cancel-sends.ts";
import { claimSends } from "../queue/claim-sends.ts";
import { correctQueuedRecipients, countEarlierSends } from "../queue/count-queued-recipients.ts";
import { countQueued } from "../queue/queued-of-account.ts";
import { readQueuedRecipients } from "../queue/queued-recipients.ts";
import { dropOldContents } from "../storage/old-contents.ts";
import { queueDueSends } from "./queue-scheduled.ts";

const database = useTestDatabase();
useEmptyQueue(database);

async function anOwner() {
  const accountId = await anAccount(database.db);
  return { accountId, fromDomain: await aVerifiedDomain(database.db, accountId) };
}

test("a due send becomes ready with its content, and one that is not due stays scheduled", async () => {
  const owner = await anOwner();
  const [due, later] = [
    await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 }),
    await aScheduledSend(database.db, { ...owner, dueInSeconds: 60 }),
  ];
  expect(await queueDueSends(database.db, "test")).toBe(0);
  expect(await queueDueSends(database.db, "live")).toBe(1);
  expect(await queueRow(database.db, due)).toMatchObject({ state: "ready", attempt: 0 });
  const claimed = await claimAgain(database.db, due);
  expect(claimed).toMatchObject({ sealed: expect.any(Buffer), domain: "verified" });
  // Measured from the time that it was scheduled for.
  expect(claimed.waitedSeconds).toBeGreaterThanOrEqual(1);
  expect(claimed.waitedSeconds).toBeLessThan(30);
  expect([await isScheduled(database.db, due), await isScheduled(database.db, later)]).toEqual([false, true]);
  expect(await queueRow(database.db, later)).toBeUndefined();
  expect(await queueDueSends(database.db, "live")).toBe(0);
});

test.for(["held", "frozen", "incoming"] as const)(
  "a due send of an account whose move is %s stays scheduled until it ends",
  async (state) => {
    const [owner, other] = [await anOwner(), await anOwner()];
    const due = await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 });
    const dueOfOther = await aScheduledSend(database.db, { ...other, dueInSeconds: -1 });
    if (state === "incoming") await anIncomingMove(database.db, owner.accountId, "copying");
    else await anOutgoingMove(database.db, owner.accountId, state);
    expect(await queueDueSends(database.db, "live")).toBe(1);
    expect([await isScheduled(database.db, due), await isScheduled(database.db, dueOfOther)]).toEqual([true, false]);
    await noMove(database.db, owner.accountId);
    expect(await queueDueSends(database.db, "live")).toBe(1);
  },
);

test("a step moves two mebibytes of content, or one larger one: until its commit, the accept statement waits for its rate windows", async () => {
  const owner = await anOwner();
  const mebibyte = 1024 * 1024;
  const sizes = [0.75, 0.75, 0.75, 3, 0.1, 0.1, 1.9, 0.1].map((mebibytes) => Math.round(mebibytes * mebibyte));
  const ids: string[] = [];
  for (const [index, size] of sizes.entries()) {
    const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: index - 100 });
    await change(database.db, "update scheduled_sends set sealed = convert_to(repeat('x', $2), 'utf8') where id = $1", [
      id,
      size,
    ]);
    ids.push(id);
  }
  const steps: number[][] = [];
  const query: typeof database.db.query = async (statement) => {
    const left = new Set(await scheduledOf(ids));
    const rows = await database.db.query(statement);
    const leftNow = new Set(await scheduledOf(ids));
    steps.push(sizes.filter((_size, index) => left.has(ids[index] ?? "") && !leftNow.has(ids[index] ?? "")));
    return rows;
  };
  expect(await queueDueSends({ ...database.db, query }, "live")).toBe(sizes.length);
  const moved = steps.map((step) => step.map((size) => Math.round((10 * size) / mebibyte) / 10));
  expect(moved).toEqual([[0.8, 0.8], [0.8], [3], [0.1, 0.1], [1.9, 0.1], []]);
});

async function scheduledOf(ids: string[]): Promise<string[]> {
  const rows = await change(database.db, "select id from scheduled_sends where id = any ($1)", [ids]);
  return rows.map(({ id }) => String(id));
}

test("many due sends of one account are spaced by its limit, also over several steps, and others go out in between", async () => {
  const owner = await anOwner();
  await change(database.db, "update accounts set limit_per_minute = 600 where id = $1", [owner.accountId]);
  await someDue(owner, 2_500);
  const other = await anOwner();
  const late = await aScheduledSend(database.db, { ...other, dueInSeconds: -1 });
  expect(await queueDueSends(database.db, "live")).toBe(2_501);
  const [spread] = await change(
    database.db,
    "select extract(epoch from max(fair_at) - min(fair_at))::float8 as seconds from send_queue where account_id = $1",
    [owner.accountId],
  );
  // 600 a minute are ten a second.
  expect(Number(spread?.seconds)).toBeCloseTo(249.9, 0);
  const [place] = await change(
    database.db,
    "select count(*)::integer as before from send_queue where fair_at < (select fair_at from send_queue where id = $1)",
    [late],
  );
  expect(Number(place?.before)).toBeLessThan(20);
});

test("later acceptances of the account stay behind its due sends", async () => {
  const owner = await anOwner();
  await someDue(owner, 1_000);
  await queueDueSends(database.db, "live");
  const [row] = await change(
    database.db,
    `select w.fair_at = (select max(fair_at) from send_queue where account_id = $1) as is_behind,
       t.send_id = (select id from send_queue where account_id = $1 order by fair_at desc limit 1) as is_tail
     from rate_windows w
     join queue_tails t using (account_id, mode)
     where w.account_id = $1`,
    [owner.accountId],
  );
  expect(row).toEqual({ is_behind: true, is_tail: true });
});

test("two workers queue each due send once", async () => {
  const owner = await anOwner();
  await someDue(owner, 3_000);
  const counts = await Promise.all(Array.from({ length: 4 }, () => queueDueSends(database.db, "live")));
  counts.push(await queueDueSends(database.db, "live"));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3_000);
  const [left] = await change(
    database.db,
    "select count(*)::integer as count from scheduled_sends where account_id = $1",
    [owner.accountId],
  );
  expect(left).toEqual({ count: 0 });
});

test("the mail of an account on hold is parked when it is due", async () => {
  const owner = await anOwner();
  const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 });
  await holdAccount(database.db, owner.accountId, undefined);
  await queueDueSends(database.db, "live");
  const all = { mode: "live", maxSends: 10, maxRecipients: 10, fromFairAt: "-infinity", isProbe: true } as const;
  expect(await claimSends(database.db, all)).toMatchObject({ sends: [], parked: 1 });
  expect(await queueRow(database.db, id)).toMatchObject({ state: "parked" });
});

test("a scheduled send is cancelled by its sender, with its content", async () => {
  const owner = await anOwner();
  const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: 60 });
  const account = database.db.forAccount(owner.accountId);
  const visible = { modes: ["live"], domain: undefined } as const;
  expect(await cancelSend(database.db.forAccount(await anAccount(database.db)), visible, id)).toBeUndefined();
  expect(await cancelSend(account, visible, id)).toMatchObject({ isCancelled: true, queueState: "scheduled" });
  expect(await isScheduled(database.db, id)).toBe(false);
  expect(await sendRow(database.db, id)).toMatchObject({ status: "failed", errorCode: "CANCELLED" });
  expect(await cancelSend(account, visible, id)).toMatchObject({ isCancelled: true, queueState: null });
});

test("of a cancellation and the move of a due send at the same time exactly one wins, and the send can be cancelled after it", async () => {
  const owner = await anOwner();
  const account = database.db.forAccount(owner.accountId);
  for (let round = 0; round < 30; round++) {
    const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 });
    const visible = { modes: ["live"], domain: undefined } as const;
    const [cancelled] = await Promise.all([cancelSend(account, visible, id), queueDueSends(database.db, "live")]);
    expect(cancelled).toMatchObject({ isCancelled: true });
    expect(await queueRow(database.db, id)).toBeUndefined();
    expect(await isScheduled(database.db, id)).toBe(false);
  }
});

test("the operator counts and cancels scheduled sends of a key and of an account", async () => {
  const owner = await anOwner();
  const apiKeyId = randomUUIDv7();
  const ofKey = await aScheduledSend(database.db, { ...owner, apiKeyId, dueInSeconds: 60 });
  const other = await aScheduledSend(database.db, { ...owner, dueInSeconds: 60 });
  const queued = await aQueuedSend(database.db, owner);
  expect(await countQueued(database.db, owner)).toMatchObject([
    { state: "ready", sends: 1 },
    { state: "scheduled", sends: 2, recipients: 2 },
  ]);
  expect(await cancelSends(database.db, { accountId: owner.accountId, apiKeyId, message: "Revoked." })).toBe(1);
  expect([await isScheduled(database.db, ofKey), await isScheduled(database.db, other)]).toEqual([false, true]);
  const before = new Date(Date.now() - 60_000).toISOString();
  expect(await cancelSends(database.db, { accountId: owner.accountId, before, message: "Old." })).toBe(0);
  expect(await cancelSends(database.db, { accountId: owner.accountId, message: "Old." })).toBe(2);
  expect(await sendRow(database.db, queued)).toMatchObject({ errorCode: "CANCELLED" });
});

test("queued recipients count scheduled ones until they are cancelled or leave the queue", async () => {
  const owner = await anOwner();
  const account = { accountId: owner.accountId, mode: "live" } as const;
  const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: 60 });
  await change(database.db, "update scheduled_sends set counted_recipients = null where id = $1", [id]);
  await countEarlierSends(database.db, account);
  expect(await readQueuedRecipients(database.db, [account])).toEqual([1]);
  expect(await correctQueuedRecipients(database.db, account)).toBe(0);
  await change(database.db, "update scheduled_sends set scheduled_at = now() where id = $1", [id]);
  await queueDueSends(database.db, "live");
  expect(await readQueuedRecipients(database.db, [account])).toEqual([1]);
  await cancelSends(database.db, { accountId: owner.accountId, message: "Old." });
  expect(await readQueuedRecipients(database.db, [account])).toEqual([0]);
});

test("after a failover only the sends that were due are in doubt, and none moves before", async () => {
  const owner = await anOwner();
  const [due, later, settled] = [
    await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 }),
    await aScheduledSend(database.db, { ...owner, dueInSeconds: 60 }),
    await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 }),
  ];
  await change(
    database.db,
    "update sends set status = 'sent', provider_message_id = 'm', sent_at = now() where id = $1",
    [settled],
  );
  await new FailoverWatch(watchDeps()).check();
  await declareFailover(database.db, "operator", "infinity");
  expect(await queueDueSends(database.db, "live")).toBe(0);
  expect(await new FailoverWatch(watchDeps()).check()).toBe(true);
  expect(await queueRow(database.db, due)).toMatchObject({ state: "in-doubt", attempt: 1_000 });
  expect(await isScheduled(database.db, later)).toBe(true);
  expect([await isScheduled(database.db, settled), await queueRow(database.db, settled)]).toEqual([false, undefined]);
});

test("a send that was scheduled weeks ago keeps its content after its week is dropped, as long as others from when it was due", async () => {
  const owner = await anOwner();
  const id = await aScheduledSend(database.db, { ...owner, dueInSeconds: -1 });
  const old = `00000000-0000-7000-8000-${id.slice(-12)}`;
  await change(database.db, "update scheduled_sends set id = $2 where id = $1", [id, old]);
  await change(database.db, "update sends set id = $2 where id = $1", [id, old]);
  expect(await queueDueSends(database.db, "live")).toBe(1);
  const contents = "select (select count(*) from kept_contents where id = $1)::integer as kept";
  expect(await change(database.db, contents, [old])).toEqual([{ kept: 1 }]);
  expect(await dropOldContents(database.db, 7)).toMatchObject({ failure: undefined, forgotten: 0 });
  await cancelSends(database.db, { accountId: owner.accountId, message: "Old." });
  expect(await dropOldContents(database.db, 7)).toMatchObject({ failure: undefined, forgotten: 0 });
  expect(await dropOldContents(database.db, 7, inDays(8))).toMatchObject({ failure: undefined, forgotten: 1 });
});

function watchDeps() {
  return { db: database.db, log: createLog("silent"), metrics: createMetrics() };
}

async function someDue({ accountId, fromDomain }: { accountId: string; fromDomain: string }, count: number) {
  await change(
    database.db,
    `with stored as (
       insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now()), $1, 'live', 'queued', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello'
       from generate_series(1, $3::integer)
       returning id
     )
     insert into scheduled_sends (id, account_id, mode, scheduled_at, from_domain, recipients, sealed)
     select id, $1, 'live', now() - interval '2 seconds', $2, '{jane@example.test}', '\\x00'
     from stored`,
    [accountId, fromDomain, count],
  );
}
