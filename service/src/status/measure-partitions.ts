import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { inspectPartitions } from "../storage/partitions.ts";
import { withinScrape } from "./scrape-deadline.ts";

/** Reads the database at every scrape. While the database is unavailable, only this metric is missing. */
export function measurePartitions({ registry }: Metrics, db: Queryable): void {
  const gauge = new Gauge({
    name: "postern_partitions_ahead_seconds",
    help: "Seconds until the newest partition of the table ends",
    labelNames: ["table"] as const,
    registers: [],
    async collect() {
      gauge.reset();
      for (const { table, aheadSeconds } of await withinScrape(inspectPartitions(db)).catch(() => [])) {
        gauge.set({ table }, aheadSeconds);
      }
    },
  });
  registry.registerMetric(gauge);
}
