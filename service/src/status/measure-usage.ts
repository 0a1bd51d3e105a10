import { Gauge } from "prom-client";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../metrics.ts";
import { readUsageTotals, type UsageTotals } from "../usage/read-totals.ts";
import { deliveryTimeBoundsMs } from "../usage/usage-kinds.ts";
import { cacheForOneSecond } from "./readiness.ts";
import { withinScrape } from "./scrape-deadline.ts";

/**
 * The usage of all accounts together, read at every scrape; every process shows the same. While the database is unavailable, only these
 * metrics are missing.
 */
export function measureUsage({ registry }: Metrics, db: Queryable): void {
  const read = cacheForOneSecond(() => readUsageTotals(db));
  const totals = (name: string, help: string, label: string, valuesOf: (total: UsageTotals) => [string, number][]) => {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ["mode", label],
      registers: [],
      async collect() {
        gauge.reset();
        for (const total of await withinScrape(read()).catch(() => [])) {
          for (const [value, count] of valuesOf(total)) gauge.set({ mode: total.mode, [label]: value }, count);
        }
      },
    });
    registry.registerMetric(gauge);
  };

  totals(
    "postern_usage_recipients",
    "Recipients so far, by outcome; only grows, because a correction takes nothing back",
    "outcome",
    ({ recipients }) => Object.entries(recipients),
  );
  totals(
    "postern_usage_deliveries",
    "Deliveries so far by the seconds from submission to delivery; cumulative, so that histogram_quantile works",
    "le",
    ({ deliveryTimes }) => cumulative(deliveryTimes ?? []),
  );
}

function cumulative(deliveryTimes: number[]): [string, number][] {
  let sum = 0;
  return deliveryTimes.map((deliveries, bucket) => {
    sum += deliveries;
    const bound = deliveryTimeBoundsMs[bucket];
    return [bound === undefined ? "+Inf" : String(bound / 1000), sum];
  });
}
