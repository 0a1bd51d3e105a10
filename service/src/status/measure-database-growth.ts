import type { Metrics } from "../metrics.ts";
import type { CellState } from "./cell-state.ts";
import { createStateGauges } from "./state-gauges.ts";

/** Each metric is missing while its value is not known. */
export function measureDatabaseGrowth(metrics: Metrics, read: () => Promise<CellState>): void {
  const gauge = createStateGauges(metrics, read);
  gauge("postern_database_bytes", "Size of the database, measured once an hour", [], ({ databaseGrowth }, set) => {
    if (databaseGrowth.bytes !== null) set({}, databaseGrowth.bytes);
  });
  gauge(
    "postern_database_growth_bytes_per_day",
    "Growth of the database over the last week; below 0 while it shrinks",
    [],
    ({ databaseGrowth }, set) => {
      if (databaseGrowth.bytesPerDay !== null) set({}, databaseGrowth.bytesPerDay);
    },
  );
  gauge("postern_database_limit_bytes", "DATABASE_DISK_GB in bytes", [], ({ databaseGrowth }, set) => {
    if (databaseGrowth.limitBytes !== null) set({}, databaseGrowth.limitBytes);
  });
  gauge(
    "postern_database_full_in_seconds",
    "Seconds until the database reaches DATABASE_DISK_GB at its present growth; missing while it does not grow",
    [],
    ({ databaseGrowth }, set) => {
      if (databaseGrowth.fullInSeconds !== null) set({}, databaseGrowth.fullInSeconds);
    },
  );
}
