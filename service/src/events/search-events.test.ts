import { beforeAll, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent } from "../../test/event-builders.ts";
import { costOf } from "../../test/explain.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { findEvents } from "./event-store.ts";

const database = useTestDatabase();
const jane = "jane.doe@example.test";
const ofJane = {
  type: undefined,
  sendId: undefined,
  recipient: jane,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};
let accountId: string;
let ids: string[];

/** Four events of Jane, then more events of others than a scan reads. */
beforeAll(async () => {
  const { db } = database;
  accountId = await anAccount(db);
  ids = [];
  for (const type of ["Delivery", "Bounce", "Delivery", "Complaint"] as const) {
    const sendId = await aQueuedSend(db, { accountId, to: [jane] });
    ids.unshift(await anEvent(db, { accountId, sendId, type, recipient: jane }));
    await change(db, "select pg_sleep(0.002)");
  }
  await db.query({
    name: "newer-events",
    text: `
      insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
      select new_id_at(at), gen_random_uuid(), $1, 'live', 'Bounce', at, 'other@example.test'
      from generate_series(1, 10500) as number
      cross join lateral (select now() + number * interval '1 ms' as at) as moment`,
    values: [accountId],
  });
});

const found = async (filter: Partial<Parameters<typeof findEvents>[2]> = {}, account = accountId) => {
  const { events, nextBefore } = await findEvents(database.db.forAccount(account), ["live"], { ...ofJane, ...filter });
  return { ids: events.map(({ id }) => id), nextBefore };
};

test("all events of a recipient are found behind 10,500 newer ones, on one page", async () => {
  expect(await found()).toEqual({ ids, nextBefore: undefined });
  expect(await found({ type: "Bounce", limit: 1 })).toEqual({ ids: [ids[2]], nextBefore: undefined });
  const { rowsRead } = await costOf(database.db.forAccount(accountId), (db) => findEvents(db, ["live"], ofJane));
  expect(rowsRead).toBeLessThan(200);
});

test("pages continue after the last event", async () => {
  const first = await found({ limit: 3 });
  expect(first).toEqual({ ids: ids.slice(0, 3), nextBefore: ids[2] });
  expect(await found({ limit: 3, before: first.nextBefore })).toEqual({ ids: ids.slice(3), nextBefore: undefined });
});

test("another account finds none of them", async () => {
  expect((await found({}, await anAccount(database.db))).ids).toEqual([]);
});

test("until old sends are indexed, the search scans as before", async () => {
  const { db } = database;
  await change(db, "update search_progress set indexed_from = 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
  const first = await found();
  await change(db, "update search_progress set indexed_from = '00000000-0000-0000-0000-000000000000'");
  expect(first).toEqual({ ids: [], nextBefore: expect.any(String) });
});
