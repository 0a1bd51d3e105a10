import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** The metrics of this process. Accounts, addresses and domains are never labels: labels are visible to all and kept forever. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: "postern_http_request_seconds",
      help: "Duration of an HTTP request, from its first byte to the last byte of the response",
      labelNames: ["method", "route", "status"] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    submitSeconds: new Histogram({
      name: "postern_submit_seconds",
      help: "Duration of a submission to the provider, by outcome",
      labelNames: ["outcome"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers: [registry],
    }),
    acceptToSubmitSeconds: new Histogram({
      name: "postern_accept_to_submit_seconds",
      help: "Time from the acceptance of a send, or from the time it was scheduled for, to its first submission",
      labelNames: ["mode"] as const,
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
      registers: [registry],
    }),
    providerErrors: new Counter({
      name: "postern_provider_errors_total",
      help: "Submissions that the provider did not accept, by the name of the error; other: a name that Postern does not know",
      labelNames: ["code"] as const,
      registers: [registry],
    }),
    sendsSettled: new Counter({
      name: "postern_sends_settled_total",
      help: "Sends that left the queue, by the resulting status",
      labelNames: ["status"] as const,
      registers: [registry],
    }),
    sendsDoubled: new Counter({
      name: "postern_sends_doubled_total",
      help: "Accepted attempts beyond the first of their send; each one is a duplicate mail",
      registers: [registry],
    }),
    feedbackReceived: new Counter({
      name: "postern_feedback_received_total",
      help: "Notifications received from the provider, by kind and by how they were handled",
      labelNames: ["kind", "verdict"] as const,
      registers: [registry],
    }),
    feedbackDelaySeconds: new Histogram({
      name: "postern_feedback_delay_seconds",
      help: "Time from an event at the provider to its commit here, by kind; only events that Postern applied",
      labelNames: ["kind"] as const,
      buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 86_400],
      registers: [registry],
    }),
    failedLogins: new Counter({
      name: "postern_failed_logins_total",
      help: "Log-ins with a wrong password or code, by whether the name is that of a user",
      labelNames: ["user"] as const,
      registers: [registry],
    }),
    requestLogDropped: new Counter({
      name: "postern_request_log_dropped_total",
      help: "Requests that are missing in the request log; limit: the hour of the account is full, waiting: too many at once, write: the database",
      labelNames: ["reason"] as const,
      registers: [registry],
    }),
    failovers: new Counter({
      name: "postern_failovers_total",
      help: "Failovers to a database that is or may be an older copy, by how they were noticed; no-loss: a synchronous standby with everything",
      labelNames: ["cause"] as const,
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: "postern_webhook_attempts_total",
      help: "Attempts to deliver a webhook, by result; unknown: the worker stopped before it stored one",
      labelNames: ["result"] as const,
      registers: [registry],
    }),
    webhookDeliveries: new Counter({
      name: "postern_webhook_deliveries_total",
      help: "Webhook deliveries that became final, by state",
      labelNames: ["state"] as const,
      registers: [registry],
    }),
    choreRuns: new Counter({
      name: "postern_chore_runs_total",
      help: "Runs of chores, by chore and result: done or failed",
      labelNames: ["chore", "result"] as const,
      registers: [registry],
    }),
    inDoubtResolved: new Counter({
      name: "postern_in_doubt_resolved_total",
      help: "Sends resolved by IN_DOUBT_POLICY because their outcome stayed unknown, by policy",
      labelNames: ["policy"] as const,
      registers: [registry],
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
