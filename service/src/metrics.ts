import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** What this process counts. No account, address or domain ever becomes a label: labels are public and live for ever. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: "postern_http_request_seconds",
      help: "Time from the first byte of a request to the last of its answer",
      labelNames: ["method", "route", "status"] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
