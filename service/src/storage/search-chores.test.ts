import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type Database, openDatabase, type Statement } from "../db/database.ts";
import { newSendId } from "../sends/send-id.ts";
import { indexOldSends, newIndexSize } from "./index-old-sends.ts";
import { mergeSearchEntries, newMergeSize } from "./merge-search-entries.ts";

const database = useTestDatabase();
/** So long ends after one step. */
const oneStepMs = 0.01;
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
async function storeOldSends(count: number, recipients = 1): Promise<string> {
  const accountId = await storeSends(count, recipients);
  await change(database.db, "delete from send_searches");
  return accountId;
}

/** Returns the id of their account. */
async function storeSends(count: number, recipients = 1): Promise<string> {
  const accountId = await anAccount(database.db);
  const to = Array.from({ length: recipients }, (_, number) => `to-${number}@example.test`);
  const ids = Array.from({ length: count }, () => newSendId(Date.now() - 60_000));
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select id, $2, 'live', 'sent', 'a@shop.test', $3, 1, 0, 'Hello' from unnest($1::uuid[]) as id`,
    [ids, accountId, to],
  );
  return accountId;
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

describe("the size of a step", () => {
  test("a step of the backfill is bounded by the number of recipients", async () => {
    await storeOldSends(300, 50);
    expect(await indexOldSends(database.db, oneStepMs)).toBeLessThanOrEqual(101);
    expect(await entries()).toBeGreaterThan(0);
    expect(await entries()).toBeLessThanOrEqual(5_050);
    await indexOldSends(database.db, 60_000);
    expect(await entries()).toBe(15_000);
  });

  test("a backfill whose statements exceed the time limit halves its steps, down to one send, and keeps the size for its next run", async () => {
    await storeOldSends(3, 50);
    const size = { ...newIndexSize(), value: 16 };
    const { db, sizes } = slowAbove(2, "index-old-sends");
    expect(await indexOldSends(db, 60_000, size)).toBe(3);
    expect(await entries()).toBe(150);
    expect(size.value).toBeLessThan(16);
    sizes.length = 0;
    await indexOldSends(db, 60_000, { ...size });
    expect(sizes[0]).toBe(size.value);
  });

  test("a merge whose statements exceed the time limit halves its steps and keeps the size for its next run", async () => {
    await storeSends(5);
    const size = newMergeSize();
    const { db, sizes } = slowAbove(2 ** 22, "merge-search-entries");
    await mergeSearchEntries(db, 2_500, inTwoWeeks(), size);
    expect(sizes.slice(0, 3)).toEqual([2 ** 24, 2 ** 23, 2 ** 22]);
    expect(size.value).toBeLessThanOrEqual(2 ** 23);
    expect((await progress())?.merging_hash).toBeGreaterThan(0);
  });

  test("a statement that exceeds the time limit at the smallest size fails the run", async () => {
    await storeOldSends(1);
    const { db } = slowAbove(0, "index-old-sends");
    await expect(indexOldSends(db, 60_000, { ...newIndexSize(), value: 1 })).rejects.toThrow();
  });
});

describe("after the clock of the server ran ahead and was corrected", () => {
  test.for([
    ["merged the present", 60_000],
    ["merged half of it", oneStepMs],
  ] as const)("sends that arrive when a merge has %s are found now and after the next merge", async ([, mergeMs]) => {
    await change(database.db, "update search_progress set indexed_from = '00000000-0000-0000-0000-000000000000'");
    await mergeSearchEntries(database.db, mergeMs, inTwoWeeks(), { ...newMergeSize(), value: 2 ** 35 });
    const accountId = await storeSends(200);
    await change(database.db, "update sends set provider_message_id = 'm-' || id");
    expect(await findable(accountId)).toEqual([200, 200]);
    await mergeSearchEntries(database.db, 60_000, inTwoWeeks());
    expect(await findable(accountId)).toEqual([200, 200]);
  });

  test("the backfill adds entries that are found", async () => {
    const accountId = await storeOldSends(5);
    await mergeSearchEntries(database.db, 60_000, inTwoWeeks());
    await indexOldSends(database.db, 60_000);
    expect((await findable(accountId))[0]).toBe(5);
  });
});

/** The number of sends that a search by recipient and searches by provider message id find. */
async function findable(accountId: string): Promise<[number, number]> {
  const [row] = await change(
    database.db,
    `select
       (select count(*)
        from find_searched_sends(search_hash($1, 'to-0@example.test'), first_id_at(now() - interval '1 day'), first_id_at(now()), 1000)) as by_recipient,
       (select count(*)
        from sends s
        cross join lateral find_searched_sends(search_hash($1, s.provider_message_id), first_id_at(now() - interval '1 day'), first_id_at(now()), 10) as found
        where s.account_id = $1 and found = s.id) as by_message_id`,
    [accountId],
  );
  return [Number(row?.by_recipient), Number(row?.by_message_id)];
}

/** A database where the statement exceeds its time limit for steps above a size. `sizes` are those of all steps. */
function slowAbove(size: number, name: string): { db: Database; sizes: number[] } {
  const sizes: number[] = [];
  const options = { url: database.url, poolSize: 2, applicationName: "postern-test", onIdleError: () => undefined };
  const db = openDatabase({ ...options, statementTimeoutMs: 400 });
  onTestFinished(() => db.close());
  const slowed = (statement: Statement): Statement => {
    if (statement.name !== name) return statement;
    const stepSize = Number(statement.values?.[0]);
    sizes.push(stepSize);
    return stepSize > size ? { name: "slow", text: "select pg_sleep(10)" } : statement;
  };
  const withTransaction: Database["withTransaction"] = (work) =>
    db.withTransaction((tx) => work({ ...tx, query: (statement) => tx.query(slowed(statement)) }));
  return { db: { ...db, withTransaction }, sizes };
}
