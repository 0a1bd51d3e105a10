import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listSends } from "./list-sends.ts";

const database = useTestDatabase();
const everything = {
  status: undefined,
  recipient: undefined,
  fromDomains: undefined,
  providerMessageId: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};
let accountId: string;

/** One row of each partition, to see which goes first. */
const spare = 20;

beforeAll(async () => {
  accountId = await anAccount(database.db);
  // Statistics come when a test says so, and not in its middle.
  const partitions = await change(
    database.db,
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'sends'::regclass",
  );
  for (const { name } of partitions)
    await change(database.db, `alter table ${String(name)} set (autovacuum_enabled = false)`);
  for (const owner of [await anAccount(database.db), accountId]) {
    await change(
      database.db,
      `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
       select new_id_at(now() - n * interval '1 ms'), $1, 'live', 'sent', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello'
       from generate_series(1, 20000) as n`,
      [owner],
    );
  }
});

async function rowsRead(filter: Partial<Parameters<typeof listSends>[2]>): Promise<number> {
  const work = (db: Parameters<typeof listSends>[0]) => listSends(db, "live", { ...everything, ...filter });
  return (await costOf(database.db.forAccount(accountId), work)).rowsRead;
}

describe.for(["without statistics", "with fresh statistics"])("%s", (statistics) => {
  beforeAll(async () => {
    if (statistics === "with fresh statistics") await change(database.db, "analyze sends");
  });
  // An account that is known to have half of a table may be read in the order of ids, with those of others between.
  const othersBetween = statistics === "with fresh statistics" ? 2 : 1;

  test("behind 20,000 sends a page reads its own entries", async () => {
    expect(await rowsRead({})).toBeLessThanOrEqual(51 * othersBetween + spare);
    expect(await rowsRead({ until: new Date(Date.now() - 1000).toISOString() })).toBeLessThanOrEqual(
      51 * othersBetween + spare,
    );
  });

  test("what is frequent is found soon", async () => {
    expect(await rowsRead({ status: "sent" })).toBeLessThanOrEqual(52 * othersBetween + spare);
    expect(await rowsRead({ fromDomains: ["shop.test"] })).toBeLessThanOrEqual(52 * othersBetween + spare);
  });

  test("for what is rare 10,000 are looked at and no more", async () => {
    for (const filter of [
      { status: "processing" as const },
      { status: "failed" as const },
      { recipient: "nobody@example.test" },
      { fromDomains: ["elsewhere.test"] },
      { providerMessageId: "none" },
    ]) {
      expect(await rowsRead(filter)).toBeLessThanOrEqual(10_000 * othersBetween + spare);
      const { sends, nextBefore } = await listSends(database.db.forAccount(accountId), "live", {
        ...everything,
        ...filter,
      });
      expect([sends, nextBefore]).toEqual([[], expect.any(String)]);
    }
  });
});
