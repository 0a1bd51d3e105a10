import { beforeEach, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Database, Queryable } from "../db/database.ts";
import { takeNewNotifications } from "./take-new-notifications.ts";

const database = useTestDatabase();
beforeEach(() => change(database.db, "truncate notifications"));

test("an account with a thousand new notifications does not delay three of another", async () => {
  const { db } = database;
  const [crowded, calm] = [await anAccount(db), await anAccount(db)];
  await newNotifications(db, crowded, 1_000);
  await newNotifications(db, calm, 3);
  const { ids, isMore } = await takeNewNotifications(db, 100);
  expect(isMore).toBe(true);
  expect(await accountsOf(db, ids)).toEqual(
    new Map([
      [crowded, 50],
      [calm, 3],
    ]),
  );
});

test("one account alone gets every place, its oldest first", async () => {
  const { db } = database;
  const accountId = await anAccount(db);
  await newNotifications(db, accountId, 150);
  const oldest = await change(db, "select id from notifications order by id limit 100");
  expect(await takeNewNotifications(db, 100)).toEqual({ ids: oldest.map(({ id }) => id), isMore: true });
  await change(db, "update notifications set envelope = '{}' where id < $1", [oldest.at(-1)?.id]);
  const rest = await takeNewNotifications(db, 100);
  expect([rest.ids.length, rest.isMore]).toEqual([51, false]);
});

test("every notification is taken once, also with more accounts than places, and by two workers at a time", async () => {
  const { db } = database;
  for (let account = 0; account < 9; account++) await newNotifications(db, await anAccount(db), 5);
  const all: string[] = [];
  for (let step = 0; step < 100; step++) {
    const taken = await Promise.all([takeAndRender(db, 4), takeAndRender(db, 4)]);
    all.push(...taken.flat());
    if (taken.flat().length === 0) break;
  }
  expect(all).toHaveLength(45);
  expect(new Set(all).size).toBe(45);
});

test.for(["without statistics", "with fresh statistics"])(
  "beside 30,000 that have their envelope, a step reads the rows that it takes: %s",
  async (statistics) => {
    const { db } = database;
    await stopAutovacuum(db, "notifications");
    const [crowded, calm] = [await anAccount(db), await anAccount(db)];
    await newNotifications(db, crowded, 30_000, "'{}'");
    if (statistics === "with fresh statistics") await change(db, "analyze notifications");
    await newNotifications(db, crowded, 5_000);
    await newNotifications(db, calm, 2);
    const { rowsRead } = await costOf(
      { ...db.forAccount(calm), query: (statement) => db.query(statement) },
      (watched) => takeNewNotifications(watched, 20),
    );
    expect(rowsRead).toBeLessThan(100);
  },
);

async function newNotifications(db: Queryable, accountId: string, count: number, envelope = "null"): Promise<void> {
  await change(
    db as Database,
    `insert into notifications (id, public_id, account_id, mode, type, occurred_at, envelope)
     select id, id, $1, 'live', 'send.sent', now(), ${envelope}
     from (select new_id_at(clock_timestamp()) as id from generate_series(1, $2::integer)) as given`,
    [accountId, count],
  );
}

/** What a fan-out does, as far as it matters here. */
function takeAndRender(db: Database, limit: number): Promise<string[]> {
  return db.withTransaction(async (tx) => {
    const { ids } = await takeNewNotifications(tx, limit);
    await tx.query({
      name: "render",
      text: "update notifications set envelope = '{}' where id = any ($1)",
      values: [ids],
    });
    return ids;
  });
}

async function accountsOf(db: Database, ids: string[]): Promise<Map<string, number>> {
  const rows = await change(db, "select account_id from notifications where id = any ($1)", [ids]);
  const accounts = new Map<string, number>();
  for (const { account_id } of rows) accounts.set(String(account_id), (accounts.get(String(account_id)) ?? 0) + 1);
  return accounts;
}
