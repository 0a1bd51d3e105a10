import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anEvent, manyEvents } from "../../test/event-builders.ts";
import { aSuppression } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { foldListChanges } from "./list-counts.ts";

const database = useTestDatabase();

function countsOf(accountId: string) {
  return change(
    database.db,
    `select mode, list, count, to_char(month, 'YYYY-MM-DD') as month
     from list_counts
     where account_id = $1
     order by mode, list, month`,
    [accountId],
  );
}

async function foldAll(): Promise<void> {
  while ((await foldListChanges(database.db, 1_000)) > 0);
}

test("changes are folded into one count per list, and for events per list and month", async () => {
  const accountId = await anAccount(database.db);
  for (const at of ["2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00.000Z", "2026-11-30T23:59:59.999Z"]) {
    await anEvent(database.db, { accountId, at });
  }
  await anEvent(database.db, { accountId, mode: "test", type: "Bounce", at: "2026-11-01T00:00:00.000Z" });
  for (const email of ["a@x.test", "b@x.test"]) await aSuppression(database.db, { accountId, email });
  await change(database.db, "delete from suppressions where account_id = $1 and email = 'a@x.test'", [accountId]);
  await foldAll();
  await anEvent(database.db, { accountId, at: "2026-11-02T00:00:00.000Z" });
  await foldAll();
  expect(await countsOf(accountId)).toEqual([
    { mode: "live", list: "Delivery", count: 1, month: "2026-10-01" },
    { mode: "live", list: "Delivery", count: 3, month: "2026-11-01" },
    { mode: "live", list: "suppressions", count: 1, month: null },
    { mode: "test", list: "Bounce", count: 1, month: "2026-11-01" },
  ]);
});

test("events are counted per day as well, and the days of a month add up to it", async () => {
  const accountId = await anAccount(database.db);
  const times = ["2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00.000Z", "2026-11-30T23:59:59.999Z"];
  for (const at of [...times, ...times.slice(1)]) await anEvent(database.db, { accountId, at });
  await foldAll();
  await anEvent(database.db, { accountId, mode: "test", at: times[2] ?? "" });
  await foldAll();
  const days =
    "select mode, to_char(day, 'YYYY-MM-DD') as day, count from list_days where account_id = $1 order by 1, 2";
  expect(await change(database.db, days, [accountId])).toEqual([
    { mode: "live", day: "2026-10-31", count: 1 },
    { mode: "live", day: "2026-11-01", count: 2 },
    { mode: "live", day: "2026-11-30", count: 2 },
    { mode: "test", day: "2026-11-30", count: 1 },
  ]);
});

test("an event counts for the UTC month of its id, at both ends of the current month", async () => {
  const accountId = await anAccount(database.db);
  const now = new Date();
  const begins = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const ends = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  for (const at of [begins - 1, begins, ends - 1, ends]) {
    await anEvent(database.db, { accountId, at: new Date(at).toISOString() });
  }
  await foldAll();
  const month = (ms: number) => `${new Date(ms).toISOString().slice(0, 7)}-01`;
  expect(await countsOf(accountId)).toMatchObject([
    { count: 1, month: month(begins - 1) },
    { count: 2, month: month(begins) },
    { count: 1, month: month(ends) },
  ]);
});

test("a fold takes at most the given number of changes, and rolled-back changes are not counted", async () => {
  const accountId = await anAccount(database.db);
  await foldAll();
  for (let n = 0; n < 5; n++) await anEvent(database.db, { accountId });
  const undone = database.db.withTransaction(async (tx) => {
    await tx.query({
      name: "undone-event",
      text: `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
             values (new_id_at(now()), gen_random_uuid(), $1, 'live', 'Delivery', now(), 'a@b.test')`,
      values: [accountId],
    });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect([await foldListChanges(database.db, 3), await foldListChanges(database.db, 3)]).toEqual([3, 2]);
  expect(await countsOf(accountId)).toMatchObject([{ count: 5 }]);
});

test("eight concurrent folds and eight writers lose no change and do not deadlock", async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => anAccount(database.db)));
  const writers = Array.from({ length: 8 }, async (_, number) => {
    const order = number % 2 === 0 ? accounts : accounts.toReversed();
    for (let n = 0; n < 5; n++) {
      for (const accountId of order) await manyEvents(database.db, { accountId, count: 2 });
    }
  });
  const folders = Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 15; n++) await foldListChanges(database.db, 7);
  });
  await Promise.all([...writers, ...folders]);
  await foldAll();
  for (const accountId of accounts) expect(await countsOf(accountId)).toMatchObject([{ list: "Delivery", count: 80 }]);
});
