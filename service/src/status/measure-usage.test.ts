import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createMetrics } from "../metrics.ts";
import { foldUsage } from "../usage/usage-chores.ts";
import { measureUsage } from "./measure-usage.ts";

const database = useTestDatabase();

test("the sums of all accounts are shown without their names, and a correction of failed takes nothing back", async () => {
  for (const accountId of [await anAccount(database.db), await anAccount(database.db)]) {
    const deltas = `
      insert into usage_deltas (account_id, hour, amount, kind, is_test, domain)
      select $1, 490000, amount, kind, false, 'd.test'
      from (values (2, 16), (3, 17), (1, 31), (5, 6), (-5, 6)) as given (amount, kind)`;
    await change(database.db, deltas, [accountId]);
  }
  await foldUsage(database.db, 60_000);
  const metrics = createMetrics();
  measureUsage(metrics, database.db);
  const text = await metrics.registry.metrics();
  const lines = text.split("\n").filter((line) => line.startsWith("postern_usage_") && line.includes('mode="live"'));
  expect(lines).toContain('postern_usage_recipients{mode="live",outcome="delivered"} 12');
  expect(lines).toContain('postern_usage_recipients{mode="live",outcome="failed"} 10');
  expect(lines.filter((line) => /le="(0.5|1|8192|\+Inf)"/.test(line))).toEqual([
    'postern_usage_deliveries{mode="live",le="0.5"} 4',
    'postern_usage_deliveries{mode="live",le="1"} 10',
    'postern_usage_deliveries{mode="live",le="8192"} 10',
    'postern_usage_deliveries{mode="live",le="+Inf"} 12',
  ]);
});
