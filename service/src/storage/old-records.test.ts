import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { aDatabase } from "../../test/partitioned-database.ts";
import { aPastSend, daysBefore, keptSince, makePastMonths, whatNames } from "../../test/past-records.ts";
import { aScheduledSend } from "../../test/scheduled-sends.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { foldListChanges, totalOfLists } from "../db/list-counts.ts";
import { bothModes } from "../mode.ts";
import { rebuildUsageDay } from "../usage/rebuild-usage.ts";
import { dropOldRecords } from "./old-records.ts";
import { readRecordRetention } from "./record-retention.ts";

const database = useTestDatabase();
const retentionDays = 60;
const kept = keptSince(retentionDays);

beforeAll(() => makePastMonths(database.db));

describe("a send of a month that is older than the retention", () => {
  test("goes with its events and all that belongs to it; one of a month that is kept stays", async () => {
    const accountId = await anAccount(database.db);
    const [old, young] = [await aSendWithEvent(accountId, 1), await aSendWithEvent(accountId, -1)];
    await run();
    expect(await whatNames(database.db, [old])).toEqual({});
    expect(await whatNames(database.db, [young])).toEqual({
      sends: 1,
      events: 1,
      send_attempts: 1,
      delivery_delays: 1,
      suppressions: 1,
      idempotency_keys: 1,
      send_searches: 2,
    });
    const suppressed = await change(database.db, "select from suppressions where account_id = $1", [accountId]);
    expect(suppressed).toHaveLength(2);
  });

  test("stays while an event of a later month names it, although its older events go", async () => {
    const accountId = await anAccount(database.db);
    const send = await aSendWithEvent(accountId, 3);
    await anEvent(database.db, { accountId, sendId: send, type: "Complaint", at: daysBefore(kept, -2) });
    await run();
    expect(await whatNames(database.db, [send])).toMatchObject({ sends: 1, events: 1, idempotency_keys: 1 });
    await change(database.db, "delete from events where send_id = $1", [send]);
    await run();
    expect(await whatNames(database.db, [send])).toEqual({});
  });

  test("stays while it is queued, in doubt or scheduled, and if it was submitted in a month that is kept", async () => {
    const accountId = await anAccount(database.db);
    const [queued, inDoubt, scheduled] = [
      await aQueuedSend(database.db, { accountId }),
      await aQueuedSend(database.db, { accountId }),
      await aScheduledSend(database.db, { accountId, dueInSeconds: 3_600 }),
    ];
    await change(database.db, "update send_queue set state = 'in-doubt', due_at = now() where id = $1", [inDoubt]);
    const ids = [];
    for (const id of [queued, inDoubt, scheduled]) ids.push(await moveToPast(id));
    ids.push(await aPastSend(database.db, { accountId, at: daysBefore(kept, 40), sentAt: daysBefore(kept, -1) }));
    await run();
    expect(await whatNames(database.db, ids)).toMatchObject({ sends: 4 });
    await change(database.db, "delete from send_queue where id = any ($1)", [ids]);
    await run();
    expect(await whatNames(database.db, ids)).toMatchObject({ sends: 2 });
  });

  test("stays if its event is committed while it is being dropped", async () => {
    const accountId = await anAccount(database.db);
    const send = await aPastSend(database.db, { accountId, at: daysBefore(kept, 5) });
    await database.db.withTransaction(async (tx) => {
      await tx.query({
        name: "an-event-on-its-way",
        text: `
          insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
          values (new_id_at(now()), $1, $2, 'live', 'Complaint', now(), 'a@x.test')`,
        values: [send, accountId],
      });
      await run();
    });
    await run();
    expect(await whatNames(database.db, [send])).toMatchObject({ sends: 1, events: 1 });
  });
});

test("totals equal a recount after the drop, before and after the changes are folded", async () => {
  const accountId = await anAccount(database.db);
  for (const days of [1, 20, 40, -1, -10]) await aSendWithEvent(accountId, days);
  await foldListChanges(database.db, 10_000);
  expect(await totalAndRecount(accountId)).toEqual({ total: 5, recount: 5 });
  await run();
  expect(await totalAndRecount(accountId)).toEqual({ total: 2, recount: 2 });
  await foldListChanges(database.db, 10_000);
  expect(await totalAndRecount(accountId)).toEqual({ total: 2, recount: 2 });
});

test("usage of dropped days stays, and cannot be rebuilt from what is left", async () => {
  const accountId = await anAccount(database.db);
  const day = `${daysBefore(kept, 10).slice(0, 10)}T00:00:00.000Z`;
  await change(
    database.db,
    "insert into usage_hours (account_id, mode, hour, domain, delivered) values ($1, 'live', $2, 'shop.test', 5)",
    [accountId, day],
  );
  await run();
  const rebuilt = await rebuildUsageDay(database.db, { accountId, mode: "live", day }, { isCorrected: true });
  expect(rebuilt).toBeUndefined();
  const counters = "select delivered from usage_hours where account_id = $1";
  expect(await change(database.db, counters, [accountId])).toEqual([{ delivered: 5 }]);
});

test("a run drops nothing of the next months while usage is being rebuilt", async () => {
  const accountId = await anAccount(database.db);
  const send = await aSendWithEvent(accountId, 1);
  await database.db.withTransaction(async (tx) => {
    const text = "select pg_advisory_xact_lock(hashtextextended('rebuild usage', 0))";
    await tx.query({ name: "rebuilding", text });
    expect(await run()).toMatchObject({ events: 0, sends: 0 });
  });
  await run();
  expect(await whatNames(database.db, [send])).toEqual({});
});

test("without a retention nothing goes", async () => {
  const accountId = await anAccount(database.db);
  const send = await aSendWithEvent(accountId, 100);
  expect(await dropOldRecords(database.db, undefined, 60_000)).toMatchObject({ events: 0, sends: 0, partitions: [] });
  expect(await whatNames(database.db, [send])).toMatchObject({ sends: 1, events: 1 });
  expect((await readRecordRetention(database.db)).retentionDays).toBeNull();
});

test("the database refuses to drop records of the last 60 days", async () => {
  await expect(dropOldRecords(database.db, 20, 60_000)).rejects.toThrow("60 days at least");
  await change(database.db, "update record_retention set dropped_before = null, retention_days = null");
});

test("a run that meets a long transaction drops the empty months when it has ended", async () => {
  const { db } = await aDatabase(copyTemplate);
  await makePastMonths(db);
  const send = await aPastSend(db, { accountId: await anAccount(db), at: daysBefore(kept, 100) });
  const [month] = await change(db, "select tableoid::regclass::text as name from sends where id = $1", [send]);
  const { dropping } = await db.withTransaction(async (tx) => {
    await tx.query({ name: "reading", text: "select from sends limit 1" });
    const started = dropOldRecords(db, retentionDays, 60_000);
    await sleep(1_200);
    return { dropping: started };
  });
  expect((await dropping).partitions).toContain(month?.name);
  expect(await readRecordRetention(db)).toEqual({ retentionDays, droppedBefore: kept.toISOString(), olderSends: 0 });
});

function run() {
  return dropOldRecords(database.db, retentionDays, 60_000);
}

/** Accepted so many days before the first day that is kept, and delivered at once. */
async function aSendWithEvent(accountId: string, days: number): Promise<string> {
  const at = daysBefore(kept, days);
  const send = await aPastSend(database.db, { accountId, at });
  await anEvent(database.db, { accountId, sendId: send, at });
  return send;
}

/** Gives an unfinished send an id of a dropped month. */
async function moveToPast(id: string): Promise<string> {
  const [row] = await change(database.db, "select new_id_at($1) as id", [daysBefore(kept, 50)]);
  for (const table of ["sends", "send_queue", "scheduled_sends"])
    await change(database.db, `update ${table} set id = $2 where id = $1`, [id, row?.id]);
  return String(row?.id);
}

async function totalAndRecount(accountId: string) {
  const [row] = await change(
    database.db,
    `select ${totalOfLists("$3")} as total, (select count(*) from events where account_id = $1) as recount`,
    [accountId, bothModes, ["Delivery", "Bounce", "Complaint", "Suppression"]],
  );
  return row;
}
