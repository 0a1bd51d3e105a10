import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

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
    submitSeconds: new Histogram({
      name: "postern_submit_seconds",
      help: "Time from the request to the provider to its answer, by what it means",
      labelNames: ["outcome"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers: [registry],
    }),
    sendsSettled: new Counter({
      name: "postern_sends_settled_total",
      help: "Sends that left the queue, by the status they got",
      labelNames: ["status"] as const,
      registers: [registry],
    }),
    sendsDoubled: new Counter({
      name: "postern_sends_doubled_total",
      help: "Attempts whose mail is out although that of another attempt of the same send is out too",
      registers: [registry],
    }),
    feedbackReceived: new Counter({
      name: "postern_feedback_received_total",
      help: "What the provider told, by its kind and by what became of it",
      labelNames: ["kind", "verdict"] as const,
      registers: [registry],
    }),
    failovers: new Counter({
      name: "postern_failovers_total",
      help: "Times the database turned out to be an older copy of itself, or may be one, by how that was noticed",
      labelNames: ["cause"] as const,
      registers: [registry],
    }),
    inDoubtResolved: new Counter({
      name: "postern_in_doubt_resolved_total",
      help: "Sends whose outcome stayed unknown and that policy sent again or failed",
      labelNames: ["policy"] as const,
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
