import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { inspectPartitions } from "../storage/partitions.ts";

/** Looked up when metrics are asked for. While the database is away the figure is absent, and the others are answered. */
export function measurePartitions({ registry }: Metrics, db: Queryable): void {
  const gauge = new Gauge({
    name: "postern_partitions_ahead_seconds",
    help: "Time until the newest partition of a table ends",
    labelNames: ["table"] as const,
    registers: [],
    async collect() {
      gauge.reset();
      for (const { table, aheadSeconds } of await inspectPartitions(db).catch(() => [])) {
        gauge.set({ table }, aheadSeconds);
      }
    },
  });
  registry.registerMetric(gauge);
}
