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

/** The size so many hours before the newest sample, at a growth of a megabyte a day. */
async function addSample(hoursBefore: number): Promise<void> {
  await change(
    database.db,
    `insert into database_sizes (hour, measured_at, bytes)
     select hour - make_interval(hours => $1), measured_at - make_interval(hours => $1), bytes - 1000000 * $1 / 24
     from database_sizes
     order by measured_at desc
     limit 1`,
    [hoursBefore],
  );
}

test("metrics have the size at once, growth after a day, and after a week the time until the disk is full with a limit", async () => {
  await change(database.db, "delete from database_sizes");
  await measureDatabase(database.db);
  const first = await metricsWith(undefined);
  expect(first).toMatch(/^postern_database_bytes \d{7,}$/m);
  expect(first).not.toMatch(/^postern_database_(growth|limit|full)/m);
  await addSample(48);
  const soon = await metricsWith(5e9);
  expect(soon).toMatch(/^postern_database_growth_bytes_per_day 1000000$/m);
  expect(soon).toMatch(/^postern_database_limit_bytes 5000000000$/m);
  expect(soon).not.toMatch(/^postern_database_full/m);
  await addSample(180);
  const later = await metricsWith(5e9);
  expect(later).toMatch(/^postern_database_growth_bytes_per_day 1000000$/m);
  expect(later).toMatch(/^postern_database_full_in_seconds \d{8,}/m);
});
