import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type AuditFilter, listAudit } from "./list-audit.ts";

const database = useTestDatabase();
let [large, small] = ["", ""];
/** Half of them in the current month, and half a month before. */
const entriesOfLarge = 24_000;
const maxScanned = 10_000;

const insertEntries = (accountId: string, count: number) =>
  change(
    database.db,
    `insert into audit_entries (id, account_id, at, actor_kind, action, target_kind, target_id)
     select new_id_at(moment), $1, moment, 'system', 'log-in', 'user', n::text
     from generate_series(${count}, 1, -1) as n
     cross join lateral (
       select now() - case when n % 2 = 0 then interval '0' else interval '32 days' end - n * interval '1 s' as moment
     ) as moments`,
    [accountId],
  );

beforeAll(async () => {
  [large, small] = [await anAccount(database.db), await anAccount(database.db)];
  await stopAutovacuum(database.db, "audit_entries");
  await insertEntries(small, 200);
  await insertEntries(large, entriesOfLarge);
});

describe("without statistics", describePages);

describe("with fresh statistics", () => {
  beforeAll(async () => {
    await change(database.db, "analyze audit_entries");
  });
  describePages();
});

describe("with statistics from before the account grew", () => {
  beforeAll(async () => {
    large = await anAccount(database.db);
    await insertEntries(large, 100);
    await change(database.db, "analyze audit_entries");
    await insertEntries(large, entriesOfLarge);
  });
  describePages();
});

function describePages(): void {
  const readBy = (accountId: string, filter: Omit<AuditFilter, "limit">) =>
    costOf(database.db.forAccount(accountId), (db) => listAudit(db, { ...filter, limit: 50 }));

  test.for([
    ["the newest page", () => large, {}],
    ["the newest page of another account", () => small, {}],
    ["a page of an earlier time", () => large, { until: new Date(Date.now() - 3_600_000).toISOString() }],
    ["a page of a time without entries", () => large, { until: "2020-01-01T00:00:00Z" }],
  ] as const)("%s reads a few rows", async ([, accountId, filter]) => {
    const { rowsRead, pagesRead, scans } = await readBy(accountId(), filter);
    expect(rowsRead).toBeLessThanOrEqual(150);
    expect(pagesRead).toBeLessThanOrEqual(300);
    expect(scans.every((scan) => scan === "Index Scan on audit_entries")).toBe(true);
  });

  test.for([
    ["an action that nobody did", { action: "account.suspend" }],
    ["a target that does not exist", { target: "none" }],
    ["a target of a kind that has no entries", { targetKind: "domain", target: "1" }],
    ["an actor without entries", { actor: "none" }],
  ] as const)("a search for %s stops after as many entries as one page may read", async ([, filter]) => {
    const { rowsRead, scans } = await readBy(large, filter);
    expect(rowsRead).toBeLessThanOrEqual(maxScanned + 100);
    expect(scans).toEqual(["Index Scan on audit_entries"]);
  });

  test("a time without entries of the other months reads one partition", async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const { rowsRead } = await readBy(large, { since });
    expect(rowsRead).toBeLessThanOrEqual(100);
  });
}
