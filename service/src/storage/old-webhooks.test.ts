import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { aDatabase, inDays, storeEveryHour, value } from "../../test/partitioned-database.ts";
import { copyTemplate } from "../../test/template-database.ts";
import type { Database } from "../db/database.ts";
import { dropOldWebhooks } from "./old-webhooks.ts";

const tables = ["notifications", "webhook_deliveries", "webhook_attempts"] as const;

test("whole weeks of notifications, deliveries and attempts are dropped 30 days after their end", async () => {
  const { db } = await aDatabase(copyTemplate);
  for (const table of tables) await value(db, storeEveryHour(table, "now()", "now() + interval '20 days'"));
  expect(await dropOldWebhooks(db, inDays(29))).not.toContain(await partitionOf(db, "webhook_deliveries"));
  await dropOldWebhooks(db, inDays(58));
  for (const table of tables) expect({ table, rows: await countOf(db, table) }).toEqual({ table, rows: 0 });
  expect(await dropOldWebhooks(db, inDays(58))).toEqual([]);
});

test("rows that arrived without a partition are deleted when they are 37 days old", async () => {
  const { db } = await aDatabase(copyTemplate);
  const [old, recent] = ["now() - interval '38 days'", "now() - interval '36 days'"];
  for (const table of tables) {
    for (const at of [old, recent]) await value(db, storeEveryHour(table, at, at));
  }
  expect(await dropOldWebhooks(db)).toEqual([]);
  for (const table of tables) expect({ table, rows: await countOf(db, table) }).toEqual({ table, rows: 1 });
});

test("the weeks of a delivery that is not final are kept until it is, at most seven days longer", async () => {
  const { db } = await aDatabase(copyTemplate);
  for (const table of tables) await value(db, storeEveryHour(table, "now()", "now()"));
  await db.query({
    name: "queue",
    text: `
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
      select d.id, $1, $1, n.id
      from webhook_deliveries d
      cross join notifications n`,
    values: [randomUUIDv7()],
  });
  // This week ends within seven days, so 30 days after its end is at most in 37 days.
  await dropOldWebhooks(db, inDays(37));
  const kept = [];
  for (const table of tables) kept.push([table, await countOf(db, table)]);
  expect(kept).toEqual([
    ["notifications", 1],
    ["webhook_deliveries", 1],
    ["webhook_attempts", expect.any(Number)],
  ]);
  await dropOldWebhooks(db, inDays(45));
  for (const table of tables) expect({ table, rows: await countOf(db, table) }).toEqual({ table, rows: 0 });
});

function countOf(db: Database, table: (typeof tables)[number]): Promise<unknown> {
  return value(db, `select count(*) from ${table}`);
}

function partitionOf(db: Database, table: (typeof tables)[number]): Promise<unknown> {
  return value(db, `select tableoid::regclass::text from ${table} order by id limit 1`);
}
