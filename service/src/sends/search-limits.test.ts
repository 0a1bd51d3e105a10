import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listSends } from "./list-sends.ts";
import type { SendFilter } from "./send-filter.ts";

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
