import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { readBacklog } from "../webhooks/read-backlog.ts";

/** Read at every scrape; every process shows the same. While the database is unavailable, only this metric is missing. */
export function measureWebhooks({ registry }: Metrics, db: Queryable): void {
  const gauge = new Gauge({
    name: "postern_webhook_backlog_seconds",
    help: "Seconds since the longest wait began: of a notification for its deliveries (`notification`), or of a due delivery for its attempt, of an endpoint that works (`working`) or fails (`failing`)",
    labelNames: ["waiting"] as const,
    registers: [],
    async collect() {
      gauge.reset();
      const backlog = await readBacklog(db).catch(() => undefined);
      if (backlog === undefined) return;
      for (const [waiting, seconds] of Object.entries(backlog)) gauge.set({ waiting }, seconds);
    },
  });
  registry.registerMetric(gauge);
}
