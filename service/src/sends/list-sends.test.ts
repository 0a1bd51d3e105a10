import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { listSends } from "./list-sends.ts";

const database = useTestDatabase();
const everything = {
  status: undefined,
  recipient: undefined,
  fromDomains: undefined,
  providerMessageId: undefined,
  apiKeyId: undefined,
  before: undefined,
  since: undefined,
  until: undefined,
  limit: 50,
};
let accountId: string;

/** PostgreSQL reads one row of each partition to merge them. */
const partitionRows = 20;

beforeAll(async () => {
  accountId = await anAccount(database.db);
  await stopAutovacuum(database.db, "sends");
  // The sends of two accounts alternate, and rows are stored in the order of their ids, as acceptance stores them.
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select new_id_at(now() - n * interval '1 ms'), owner, 'live', 'sent', 'a@shop.test', '{jane@example.test}', 1, 0, 'Hello'
     from generate_series(20000, 1, -1) as n
     cross join unnest($1::uuid[]) as owner
     order by n desc, owner`,
    [[await anAccount(database.db), accountId]],
  );
});

async function rowsRead(filter: Partial<Parameters<typeof listSends>[2]>): Promise<number> {
  const work = (db: Parameters<typeof listSends>[0]) => listSends(db, ["live"], { ...everything, ...filter });
  return (await costOf(database.db.forAccount(accountId), work)).rowsRead;
}

describe.for(["without statistics", "with fresh statistics"])("%s", (statistics) => {
  beforeAll(async () => {
    if (statistics === "with fresh statistics") await change(database.db, "analyze sends");
  });

  test("a page of 20,000 sends reads only its own rows", async () => {
    expect(await rowsRead({})).toBeLessThanOrEqual(51 + partitionRows);
    expect(await rowsRead({ until: new Date(Date.now() - 1000).toISOString() })).toBeLessThanOrEqual(
      51 + partitionRows,
    );
  });

  test("a filter that most sends match reads only one page of rows", async () => {
    expect(await rowsRead({ status: "sent" })).toBeLessThanOrEqual(52 + partitionRows);
    expect(await rowsRead({ fromDomains: ["shop.test"] })).toBeLessThanOrEqual(52 + partitionRows);
  });

  test("a filter that no send matches scans 10,000 sends and no more", async () => {
    for (const filter of [
      { status: "processing" as const },
      { status: "failed" as const },
      { fromDomains: ["elsewhere.test"] },
    ]) {
      expect(await rowsRead(filter)).toBeLessThanOrEqual(10_000 + partitionRows);
      const { sends, nextBefore } = await listSends(database.db.forAccount(accountId), ["live"], {
        ...everything,
        ...filter,
      });
      expect([sends, nextBefore]).toEqual([[], expect.any(String)]);
    }
  });

  test("a recipient or a provider message id that no send has is known after a few rows", async () => {
    for (const filter of [
      { recipient: "nobody@example.test" },
      { providerMessageId: "none" },
      { recipient: "nobody@example.test", providerMessageId: "none", status: "failed" as const },
    ]) {
      expect(await rowsRead(filter)).toBeLessThanOrEqual(3 * partitionRows);
      expect(await listSends(database.db.forAccount(accountId), ["live"], { ...everything, ...filter })).toEqual({
        sends: [],
        nextBefore: undefined,
      });
    }
  });

  test("a page of a recipient with 20,000 sends reads 1,000 of them at most", async () => {
    expect(await rowsRead({ recipient: "jane@example.test" })).toBeLessThanOrEqual(3 * 1_000 + 3 * partitionRows);
  });
});
