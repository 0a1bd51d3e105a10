import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { countFailingEndpoints, readBacklog } from "../webhooks/read-backlog.ts";
import { withinScrape } from "./scrape-deadline.ts";

/** Read at every scrape; every process shows the same. While the database is unavailable, only these metrics are missing. */
export function measureWebhooks({ registry }: Metrics, db: Queryable): void {
  const gauge = new Gauge({
    name: "postern_webhook_backlog_seconds",
    help: "Seconds since the longest wait began: of a notification for its deliveries (`notification`), or of a due delivery for its attempt, of an endpoint that works (`working`) or fails (`failing`)",
    labelNames: ["waiting"] as const,
    registers: [],
    async collect() {
      gauge.reset();
      const backlog = await withinScrape(readBacklog(db)).catch(() => undefined);
      if (backlog === undefined) return;
      for (const [waiting, seconds] of Object.entries(backlog)) gauge.set({ waiting }, seconds);
    },
  });
  registry.registerMetric(gauge);
  const endpoints = new Gauge({
    name: "postern_webhook_endpoints",
    help: "Webhook endpoints that fail now (`failing`), and those that Postern disabled because they failed or are gone (`disabled`)",
    labelNames: ["state"] as const,
    registers: [],
    async collect() {
      endpoints.reset();
      const counts = await withinScrape(countFailingEndpoints(db)).catch(() => undefined);
      if (counts === undefined) return;
      for (const [state, count] of Object.entries(counts)) endpoints.set({ state }, count);
    },
  });
  registry.registerMetric(endpoints);
}
