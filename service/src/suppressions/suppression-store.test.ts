import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { findSuppressionsBefore, listSuppressions } from "./suppression-store.ts";

const database = useTestDatabase();

test("a page reads its own entries by the index of the list, wherever it starts, without statistics", async () => {
  const { db } = database;
  const accountId = await anAccount(db);
  await db.query({
    name: "many-suppressions",
    text: `
      insert into suppressions (id, account_id, mode, email, reason)
      select new_id_at(now() - number * interval '10 minutes'), $1, 'live', 'a-' || number || '@example.test', 'hard_bounce'
      from generate_series(1, 20000) as number`,
    values: [accountId],
  });
  const own = db.forAccount(accountId);
  const first = await costOf(own, (each) => listSuppressions(each, ["live"], { limit: 50, offset: 0 }));
  expect(first.rowsRead).toBeLessThan(1_000);
  const last = await listSuppressions(own, ["live"], { limit: 50, offset: 15_000 });
  expect(last).toMatchObject({ total: 20_000, suppressions: { length: 50 } });
  const before = last.suppressions[0]?.id ?? "";
  const found = await costOf(own, (each) => findSuppressionsBefore(each, ["live"], { before, limit: 50 }));
  expect(found.rowsRead).toBeLessThan(200);
  const filtered = await costOf(own, (each) =>
    findSuppressionsBefore(each, ["live"], { before: undefined, reason: "manual", limit: 50 }),
  );
  expect(filtered.rowsRead).toBeLessThan(25_000);
  const deep = await costOf(own, (each) => listSuppressions(each, ["live"], { limit: 50, offset: 15_000 }));
  expect(deep.rowsRead).toBeLessThan(2_000);
});
