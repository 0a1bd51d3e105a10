import type { MutationCase } from "./breaking-proxy.ts";
import { onEntries, onEvents, onList, onSend, onStatus, replace, replaceStatus } from "./change-answer.ts";

export const casesOfSections0To3: MutationCase[] = [
  {
    fault: "times are in local time",
    broken: ["0-03"],
    unaffected: ["0-01"],
    change: onSend(({ body }) => replace(body, "queued_at", (time) => String(time).replace("Z", "+02:00"))),
  },
  {
    fault: "there are templates",
    broken: ["1-09"],
    unaffected: ["1-08"],
    intercept: ({ path }) => (path.startsWith("/api/v1/templates") ? { status: 200, body: [] } : undefined),
  },
  {
    fault: "a resource of another account is 403",
    broken: ["2-02"],
    unaffected: ["2-01"],
    change: (answer) => replaceStatus(answer, 404, 403),
  },
  {
    fault: "the acceptance has no idempotent field",
    broken: ["2.1-14"],
    unaffected: ["2.1-10", "2.1-12"],
    change: onSend(({ body }) => delete body.idempotent),
  },
  {
    fault: "suppressed_recipients is always present",
    broken: ["2.1-15"],
    unaffected: ["2.1-14"],
    change: onSend(({ status, body }) => {
      if (status === 202) body.suppressed_recipients ??= [];
    }),
  },
  {
    fault: "the record hides the bcc recipients",
    broken: ["2.1-19"],
    unaffected: ["2.1-18"],
    change: onStatus(({ body }) =>
      replace(body, "to_addresses", (all) => (Array.isArray(all) ? all.slice(0, 2) : all)),
    ),
  },
  {
    fault: "listed keys have a key",
    broken: ["2.2-07"],
    unaffected: ["2.2-01"],
    change: onList("/api/v1/api-keys", (key) => Object.assign(key, { key: "hidden" })),
  },
  {
    fault: "listed domains have DNS records",
    broken: ["2.3-07"],
    unaffected: ["2.3-05"],
    change: onList("/api/v1/domains", (domain) => Object.assign(domain, { dns_records: [] })),
  },
  {
    fault: "a suppression reason has another name",
    broken: ["2.4-03"],
    unaffected: ["2.4-02"],
    change: onEntries((entry) => replace(entry, "reason", (reason) => (reason === "hard_bounce" ? "bounce" : reason))),
  },
  {
    fault: "every event has a bounce_type",
    broken: ["2.5-06"],
    unaffected: ["2.5-05"],
    change: onEvents((event) => {
      event.bounce_type ??= null;
    }),
  },
  {
    fault: "sent is called processing",
    broken: ["3-03", "3-12"],
    unaffected: ["3-04"],
    change: onStatus(({ body }) => replace(body, "status", (status) => (status === "sent" ? "processing" : status))),
  },
  {
    fault: "the API records a complaint as a hard bounce",
    broken: ["3-16"],
    unaffected: ["3-15"],
    change: onEntries((entry) => replace(entry, "reason", () => "hard_bounce")),
  },
];
