import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { createMetrics } from "../metrics.ts";
import { measureDatabase } from "../storage/database-size.ts";
import { readCellState } from "./cell-state.ts";
import { measureDatabaseGrowth } from "./measure-database-growth.ts";

const database = useTestDatabase();

const metricsWith = async (databaseDiskBytes: number | undefined) => {
  const metrics = createMetrics();
  const rule = { feedbackGapSeconds: 900, hasFeedbackQueue: true, databaseDiskBytes };
  measureDatabaseGrowth(metrics, () => readCellState(database.db, rule, 10));
  return metrics.registry.metrics();
};

test("metrics have the size at once, growth after a day, and the time until the disk is full with a limit", async () => {
  await change(database.db, "delete from database_sizes");
  await measureDatabase(database.db);
  const first = await metricsWith(undefined);
  expect(first).toMatch(/^postern_database_bytes \d{7,}$/m);
  expect(first).not.toMatch(/^postern_database_(growth|limit|full)/m);
  await change(
    database.db,
    `insert into database_sizes (hour, measured_at, bytes)
     select hour - interval '2 days', measured_at - interval '2 days', bytes - 2000000 from database_sizes`,
  );
  const later = await metricsWith(5e9);
  expect(later).toMatch(/^postern_database_growth_bytes_per_day 1000000$/m);
  expect(later).toMatch(/^postern_database_limit_bytes 5000000000$/m);
  expect(later).toMatch(/^postern_database_full_in_seconds \d{8,}/m);
});
