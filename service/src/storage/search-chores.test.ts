import { beforeEach, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { newSendId } from "../sends/send-id.ts";
import { indexOldSends } from "./index-old-sends.ts";
import { mergeSearchEntries } from "./merge-search-entries.ts";

const database = useTestDatabase();
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const inTwoWeeks = () => new Date(Date.now() + 15 * 86_400_000).toISOString();

beforeEach(async () => {
  await change(database.db, "delete from sends");
  await change(database.db, "delete from send_searches");
  await change(
    database.db,
    "update search_progress set indexed_from = $1, merging_hash = 0, merging_bucket = fine_bucket(first_id_at(now() - interval '12 hours')) >> 10",
    [lastId],
  );
});

/** Sends from before the index. */
async function storeOldSends(count: number, recipients = 1): Promise<void> {
  await storeSends(count, recipients);
  await change(database.db, "delete from send_searches");
}

async function storeSends(count: number, recipients = 1): Promise<void> {
  const to = Array.from({ length: recipients }, (_, number) => `to-${number}@example.test`);
  const ids = Array.from({ length: count }, () => newSendId(Date.now() - 60_000));
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select id, $2, 'live', 'sent', 'a@shop.test', $3, 1, 0, 'Hello' from unnest($1::uuid[]) as id`,
    [ids, await anAccount(database.db), to],
  );
}

const entries = async () => (await change(database.db, "select from send_searches")).length;
const progress = async () => (await change(database.db, "select * from search_progress"))[0];

describe("steps of two processes", () => {
  test("no chore changes entries while a step of another one runs, and each continues after it", async () => {
    await storeOldSends(3);
    const before = await progress();
    await database.db.withTransaction(async (tx) => {
      await tx.query({ name: "lock", text: "select pg_advisory_xact_lock(hashtextextended('search entries', 0))" });
      expect(await indexOldSends(database.db, 50)).toBe(0);
      expect(await mergeSearchEntries(database.db, 50, inTwoWeeks())).toBe(0);
      expect(await progress()).toEqual(before);
    });
    expect(await indexOldSends(database.db, 60_000)).toBe(3);
    expect(await mergeSearchEntries(database.db, 60_000, inTwoWeeks())).toBe(3);
  });

  test("chores that run at the same time index and merge every send once", async () => {
    await storeOldSends(5_000);
    await Promise.all(
      [1, 2].flatMap(() => [indexOldSends(database.db, 10_000), mergeSearchEntries(database.db, 10_000, inTwoWeeks())]),
    );
    expect(await entries()).toBe(5_000);
    expect(await progress()).toMatchObject({ indexed_from: "00000000-0000-0000-0000-000000000000" });
  });
});
