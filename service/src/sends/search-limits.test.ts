import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Mode } from "../mode.ts";
import { listSends } from "./list-sends.ts";
import { idBetween } from "./search-range.ts";
import type { SendFilter } from "./send-filter.ts";
import { newSendId } from "./send-id.ts";

const database = useTestDatabase();
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const search: SendFilter = {
  status: undefined,
  recipient: "jane@example.test",
  fromDomains: undefined,
  providerMessageId: undefined,
  apiKeyId: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};

test("a search in an account without sends returns an empty page at once, whatever range the caller asks for", async () => {
  const db = database.db.forAccount(await anAccount(database.db));
  const until = "9998-01-01T00:00:00.000Z";
  for (const range of [
    { before: lastId },
    { until },
    { before: lastId, until },
    { since: "1970-01-01T00:00:00.000Z" },
  ]) {
    const startedAt = performance.now();
    expect(await listSends(db, ["live", "test"], { ...search, ...range })).toEqual({
      sends: [],
      nextBefore: undefined,
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  }
});

test("the search function reads a bounded number of buckets for any range, also when merging stopped long ago", async () => {
  const [progress] = await change(database.db, "select merging_bucket as bucket from search_progress");
  await change(database.db, "update search_progress set merging_bucket = 0");
  const startedAt = performance.now();
  const rows = await change(
    database.db,
    "select * from find_searched_sends(1, '00000000-0000-0000-0000-000000000000', $1, 10)",
    [lastId],
  );
  expect(rows).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  await change(database.db, "update search_progress set merging_bucket = $1", [progress?.bucket]);
});

test("no page names a send that the caller does not see, and the pages return each of theirs once", async () => {
  const accountId = await anAccount(database.db);
  const moment = Date.now() - 60_000;
  // 2,500 sends of the other mode, and within the same few milliseconds six of this one.
  const hidden = await storeMany(accountId, "test", 2_500, (number) => moment - (number % 5));
  const seen = await storeMany(accountId, "live", 6, (number) => moment - number);
  const found: string[] = [];
  const pages: (string | undefined)[] = [];
  for (let before: string | undefined, page = 0; page === 0 || before !== undefined; page++) {
    if (page > 20) throw new Error("the list does not end");
    const { sends, nextBefore } = await listSends(database.db.forAccount(accountId), ["live"], { ...search, before });
    found.push(...sends.map(({ id }) => id));
    pages.push(nextBefore);
    before = nextBefore;
  }
  expect(pages.length).toBeGreaterThan(2);
  expect(hidden.filter((id) => pages.includes(id))).toEqual([]);
  expect(found).toEqual(seen.toSorted().toReversed());
});

test("while old sends are not indexed yet, the next page begins at no send of another account", async () => {
  const accountId = await anAccount(database.db);
  const moment = Date.now() - 60_000;
  const [old] = await storeMany(accountId, "live", 1, () => moment - 1_000);
  const [foreign] = await storeMany(await anAccount(database.db), "live", 1, () => moment);
  const [sameMoment] = await storeMany(accountId, "live", 1, () => moment);
  const [recent] = await storeMany(accountId, "live", 1, () => moment + 1_000);
  await change(database.db, "update search_progress set indexed_from = $1", [foreign]);
  const db = database.db.forAccount(accountId);
  const first = await listSends(db, ["live"], search);
  expect(first.nextBefore).not.toBe(foreign);
  const second = await listSends(db, ["live"], { ...search, before: first.nextBefore });
  expect([...first.sends, ...second.sends].map(({ id }) => id)).toEqual([recent, sameMoment, old]);
  await change(database.db, "update search_progress set indexed_from = '00000000-0000-0000-0000-000000000000'");
});

async function storeMany(
  accountId: string,
  mode: Mode,
  count: number,
  at: (number: number) => number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, number) => newSendId(at(number)));
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select id, $2, $3, 'sent', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello' from unnest($1::uuid[]) as id`,
    [ids, accountId, mode],
  );
  return ids;
}

test.for([
  [
    "01a1e55e-e99d-7d76-a115-2cbe71d788ae",
    "01a1e55e-e98f-7d76-a115-2cbe71d788ae",
    "01a1e55e-e990-7000-8000-000000000000",
  ],
  [
    "01a1e55e-e99d-7d76-a115-2cbe71d788ae",
    "01a1e55e-e99d-7d66-b115-2cbe71d788ae",
    "01a1e55e-e99d-7d70-8000-000000000000",
  ],
  [
    "01a1e55e-e99d-7d76-a115-2cbe71d788ae",
    "01a1e55e-e99d-7d76-a115-2cbe71d788ad",
    "01a1e55e-e99d-7d76-a115-2cbe71d788ae",
  ],
] as const)("between %s and %s a search continues at %s", ([last, next, between]) => {
  expect(idBetween(last, next)).toBe(between);
});
