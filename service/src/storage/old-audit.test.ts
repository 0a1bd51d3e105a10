import { expect, test } from "vitest";
import { aDatabase, inDays, storeEveryHour, value } from "../../test/partitioned-database.ts";
import { copyTemplate } from "../../test/template-database.ts";
import { dropOldAudit } from "./old-audit.ts";

const countEntries = "select count(*) from audit_entries";

test("months are dropped whole once all of their entries are older than the retention, and no sooner", async () => {
  const { db } = await aDatabase(copyTemplate);
  await db.query({ name: "store", text: storeEveryHour("audit_entries", "now()", "now() + interval '1 day'") });
  expect(await dropOldAudit(db, 400, inDays(399))).not.toContain(undefined);
  expect(await value(db, countEntries)).toBe(25);
  const dropped = await dropOldAudit(db, 400, inDays(400 + 40));
  expect(dropped.length).toBeGreaterThan(0);
  expect(await value(db, countEntries)).toBe(0);
});

test("entries without a partition go too, although nothing else may delete them", async () => {
  const { db } = await aDatabase(copyTemplate);
  const old = "timestamptz '2020-01-01'";
  await db.query({ name: "store", text: storeEveryHour("audit_entries", old, old) });
  await expect(value(db, "delete from audit_entries")).rejects.toThrow("never changed");
  await dropOldAudit(db, 400);
  expect(await value(db, countEntries)).toBe(0);
  await expect(dropOldAudit(db, 29)).rejects.toThrow("30 days at least");
});
