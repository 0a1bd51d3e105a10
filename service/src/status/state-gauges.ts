import { Gauge } from "prom-client";
import type { Metrics } from "../metrics.ts";
import type { CellState } from "./cell-state.ts";
import { withinScrape } from "./scrape-deadline.ts";

type Fill<Label extends string> = (
  state: CellState,
  set: (labels: Record<Label, string>, value: number) => void,
) => void;

/** Makes gauges that read the database at every scrape. While there is no state to read, only these metrics are missing. */
export function createStateGauges({ registry }: Metrics, read: () => Promise<CellState | undefined>) {
  return <Label extends string>(name: string, help: string, labelNames: Label[], fill: Fill<Label>): void => {
    const metric = new Gauge({
      name,
      help,
      labelNames,
      registers: [],
      async collect() {
        metric.reset();
        // A reset sets a metric without labels to 0, which would be a value that nobody measured.
        if (labelNames.length === 0) metric.remove();
        const state = await withinScrape(read()).catch(() => undefined);
        if (state !== undefined) fill(state, (labels, value) => metric.set(labels, value));
      },
    });
    registry.registerMetric(metric);
  };
}
