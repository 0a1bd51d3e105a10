import { randomUUIDv7 } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aFrozenMove, anIncomingMove, queuesOf } from "../../test/move-fixture.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aDelivery, aWebhook } from "../../test/webhook-builders.ts";
import { unparkSends } from "../queue/parked-sends.ts";
import { readQueuedRecipients } from "../queue/queued-recipients.ts";
import { type IncomingRun, inMove, release } from "./incoming-move.ts";
import { emptyQueues, insertMovedRows } from "./insert-moved-rows.ts";
import { type MovedRow, readMovedRows } from "./moved-rows.ts";

const [source, target] = [useTestDatabase(), useTestDatabase()];
useEmptyQueue(source);
useEmptyQueue(target);
beforeEach(() => change(source.db, "delete from webhook_queue"));

/** Frozen in the source, and copied to the target, where its live mail has a quota. */
async function aMovingAccount(fill: (accountId: string) => Promise<void>) {
  const accountId = await anAccount(source.db);
  await fill(accountId);
  const move = { ...(await aFrozenMove(source.db, accountId)), runId: randomUUIDv7() };
  await anIncomingMove(target.db, move);
  await change(target.db, "insert into account_quotas (account_id, mode, queued_recipients) values ($1, 'live', 100)", [
    accountId,
  ]);
  return move;
}

async function pagesOf(accountId: string, maxBytes?: number): Promise<MovedRow[][]> {
  const pages: MovedRow[][] = [];
  for await (const page of readMovedRows(source.db, accountId, maxBytes)) pages.push(page);
  return pages;
}

async function insertAll(move: IncomingRun): Promise<number> {
  let inserted = 0;
  for (const page of await pagesOf(move.accountId))
    inserted += await inMove(target.db, move, (tx) => insertMovedRows(tx, move.accountId, page));
  return inserted;
}

const counted = (accountId: string) =>
  readQueuedRecipients(target.db, [
    { accountId, mode: "live" },
    { accountId, mode: "test" },
  ]);

test("a send arrives parked, with its attempts, its order and what is left of its retry window", async () => {
  const ids: string[] = [];
  const move = await aMovingAccount(async (accountId) => {
    const queue = async (fairInSeconds: number, set: string) => {
      const id = await aQueuedSend(source.db, { accountId, fairInSeconds, to: ["a@x.test", "b@x.test"] });
      await change(source.db, `update send_queue set ${set} where id = $1`, [id]);
      ids.push(id);
    };
    await queue(-500, "tags = '{t}', expires_at = now() + interval '1 day', attachment_bytes = 7");
    await queue(
      -400,
      "state = 'waiting', due_at = now() + interval '1 hour', attempt = 3, attempted_at = now(), backoff_step = 2, retrying_since = now() - interval '600 s'",
    );
    await queue(
      -300,
      "state = 'parked', due_at = now() - interval '1000 s', retrying_since = now() - interval '1200 s'",
    );
  });
  // The retry clock of the target is another one.
  await change(target.db, "update provider_state set held_for = '1 day' where mode = 'live'");
  const before = (
    await change(source.db, "select row from moved_rows where account_id = $1 order by id", [move.accountId])
  ).map(({ row }) => row as Record<string, unknown>);
  expect(await insertAll(move)).toBe(3);
  const rows = (await queuesOf(target.db, move.accountId)).sends ?? [];
  for (const [index, row] of rows.entries()) {
    const { retrying_seconds: _, ...old } = before[index] ?? {};
    expect(row).toEqual({
      ...old,
      state: "parked",
      due_at: expect.any(String),
      fair_at: expect.any(String),
      retrying_since: old.retrying_since === null ? null : expect.any(String),
      counted_recipients: 2,
    });
  }
  const times = await change(
    target.db,
    `select round(extract(epoch from fair_at - min(fair_at) over ()))::integer as behind, due_at <= now() as is_parked,
       round(extract(epoch from retry_clock(mode) - retrying_since) / 10)::integer * 10 as retrying, fair_at <= now() + interval '201 s' as is_soon
     from send_queue order by id`,
  );
  expect(times).toEqual([
    { behind: 0, is_parked: true, retrying: null, is_soon: true },
    { behind: 100, is_parked: true, retrying: 600, is_soon: true },
    { behind: 200, is_parked: true, retrying: 200, is_soon: true },
  ]);
  expect(await counted(move.accountId)).toEqual([6, 0]);
});

test("workers queue it after the release, and not before", async () => {
  const move = await aMovingAccount(async (accountId) => {
    await aQueuedSend(source.db, { accountId });
  });
  await insertAll(move);
  expect(await unparkSends(target.db, "live")).toBe(0);
  await release(target.db, move);
  expect(await unparkSends(target.db, "live")).toBe(1);
});

test("a scheduled send and deliveries arrive as they are, with the content sealed anew, and only a quota of the target counts them", async () => {
  const move = await aMovingAccount(async (accountId) => {
    await aScheduledSend(source.db, { accountId, dueInSeconds: 600 });
    await aScheduledSend(source.db, { accountId, dueInSeconds: 600, mode: "test" });
    const endpointId = await aWebhook(source.db, { accountId });
    await aDelivery(source.db, { accountId, endpointId, state: "pending", attempts: 2 });
    await aDelivery(source.db, { accountId, endpointId, state: "paused" });
  });
  const pages = await pagesOf(move.accountId);
  const sealed = pages.flat().flatMap((row) => row.sealed ?? []);
  expect(sealed).toHaveLength(2);
  expect(pages.flat().every(({ row }) => !row.includes("sealed"))).toBe(true);
  const resealed = pages
    .flat()
    .map((row) => (row.sealed === null ? row : { ...row, sealed: Buffer.from([0, 1, 255]) }));
  const taken = await change(
    source.db,
    "select kind, row - 'sealed' as row from moved_rows where account_id = $1 order by kind, id",
    [move.accountId],
  );
  expect(await inMove(target.db, move, (tx) => insertMovedRows(tx, move.accountId, resealed))).toBe(4);
  const { scheduled = [], webhooks } = await queuesOf(target.db, move.accountId);
  expect(scheduled.map((row) => ({ ...row, sealed: undefined }))).toEqual(
    taken
      .filter(({ kind }) => kind === "scheduled_sends")
      .map(({ row }) => row as { mode: string })
      .map((row) => ({ ...row, sealed: undefined, counted_recipients: row.mode === "live" ? 1 : null })),
  );
  expect(scheduled.map((row) => row.sealed)).toEqual([String.raw`\x0001ff`, String.raw`\x0001ff`]);
  expect(webhooks).toEqual(taken.filter(({ kind }) => kind === "webhook_queue").map(({ row }) => row));
  expect(await counted(move.accountId)).toEqual([1, 0]);
});

test("the content that is read is the one that was taken", async () => {
  const accountId = await anAccount(source.db);
  const id = await aScheduledSend(source.db, { accountId, dueInSeconds: 600 });
  const [before] = await change(source.db, "select sealed from scheduled_sends where id = $1", [id]);
  await aFrozenMove(source.db, accountId);
  const [[row] = []] = await pagesOf(accountId);
  expect(row?.sealed?.equals(before?.sealed as Buffer)).toBe(true);
});

test("a repetition inserts and counts nothing, also after some rows", async () => {
  const move = await aMovingAccount(async (accountId) => {
    for (let sends = 0; sends < 3; sends++) await aQueuedSend(source.db, { accountId });
  });
  const rows = (await pagesOf(move.accountId)).flat();
  await inMove(target.db, move, (tx) => insertMovedRows(tx, move.accountId, rows.slice(0, 2)));
  expect(await insertAll(move)).toBe(1);
  expect(await insertAll(move)).toBe(0);
  expect(await counted(move.accountId)).toEqual([3, 0]);
});

test("rows that an earlier run inserted can be emptied, whatever became of them, and those of other accounts stay", async () => {
  const move = await aMovingAccount(async (accountId) => {
    for (let sends = 0; sends < 3; sends++) await aQueuedSend(source.db, { accountId });
    await aScheduledSend(source.db, { accountId, dueInSeconds: 600 });
    await aDelivery(source.db, { accountId, endpointId: await aWebhook(source.db, { accountId }), state: "pending" });
  });
  const other = await anAccount(target.db);
  await aQueuedSend(target.db, { accountId: other });
  await insertAll(move);
  await change(
    target.db,
    "update send_queue set state = 'in-doubt' where id = (select id from send_queue where account_id = $1 order by id limit 1)",
    [move.accountId],
  );
  await inMove(target.db, move, (tx) => emptyQueues(tx, move.accountId));
  expect(await queuesOf(target.db, move.accountId)).toEqual({ sends: [], scheduled: [], webhooks: [] });
  expect(await counted(move.accountId)).toEqual([0, 0]);
  expect(await change(target.db, "select from moved_rows")).toEqual([]);
  expect((await queuesOf(target.db, other)).sends).toHaveLength(1);
  expect(await insertAll(move)).toBe(5);
});

test("a row of another account is not inserted", async () => {
  const move = await aMovingAccount(async (accountId) => {
    await aQueuedSend(source.db, { accountId });
  });
  const other = await aMovingAccount(async () => undefined);
  const rows = (await pagesOf(move.accountId)).flat();
  expect(await inMove(target.db, other, (tx) => insertMovedRows(tx, other.accountId, rows))).toBe(0);
});

test("pages have about as many bytes as asked for, and a larger row alone", async () => {
  const accountId = await anAccount(source.db);
  for (let sends = 0; sends < 12; sends++) await aQueuedSend(source.db, { accountId });
  for (let sends = 0; sends < 3; sends++) await aScheduledSend(source.db, { accountId, dueInSeconds: 600 });
  await aFrozenMove(source.db, accountId);
  const all = (await pagesOf(accountId)).flat();
  expect(all).toHaveLength(15);
  for (const maxBytes of [1, 2_500]) {
    const pages = await pagesOf(accountId, maxBytes);
    expect(pages.flat()).toEqual(all);
    expect(pages.length).toBeGreaterThan(3);
    if (maxBytes === 1) expect(pages).toHaveLength(15);
    else expect(pages.length).toBeLessThan(15);
  }
});
