import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { type ChoreAge, listChoreAges } from "./chore-state.ts";
import { cacheForOneSecond } from "./readiness.ts";
import { withinScrape } from "./scrape-deadline.ts";

/** Read at every scrape; every process shows the same. While the database is unavailable, only these metrics are missing. */
export function measureChores({ registry }: Metrics, db: Queryable): void {
  const read = cacheForOneSecond(() => listChoreAges(db));
  const gaugeOf = (name: string, help: string, valueIn: (chore: ChoreAge) => number | null) => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ["chore"],
      registers: [],
      async collect() {
        gauge.reset();
        for (const chore of await withinScrape(read()).catch(() => [])) {
          const value = valueIn(chore);
          if (value !== null) gauge.set({ chore: chore.name }, value);
        }
      },
    });
    registry.registerMetric(gauge);
  };
  gaugeOf(
    "postern_chore_last_run_seconds",
    "Seconds since the last run of the chore ended",
    (chore) => chore.endedSecondsAgo,
  );
  gaugeOf(
    "postern_chore_failed_runs",
    "Runs of the chore that failed in a row; 0 after one that did not",
    (chore) => chore.failedRuns,
  );
}
