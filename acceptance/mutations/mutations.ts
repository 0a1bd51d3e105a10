import type { Exchange, Mutation } from "./breaking-proxy.ts";

/** One thing that a deployment might do wrong, and the sentences that must notice. */
export interface Case extends Mutation {
  wrong: string;
  broken: string[];
  /** Sentences beside them that must not mind. */
  holds: string[];
}

export const cases: Case[] = [
  {
    wrong: "times are in local time",
    broken: ["0-03"],
    holds: ["0-01"],
    change: onSend(({ body }) => replace(body, "queued_at", (time) => String(time).replace("Z", "+02:00"))),
  },
  {
    wrong: "there are templates",
    broken: ["1-09"],
    holds: ["1-08"],
    withhold: ({ path }) => (path.startsWith("/api/v1/templates") ? { status: 200, body: [] } : undefined),
  },
  {
    wrong: "what belongs to others is 403",
    broken: ["2-02"],
    holds: ["2-01"],
    change: (answer) => replaceStatus(answer, 404, 403),
  },
  {
    wrong: "the acceptance does not say whether it is a repeat",
    broken: ["2.1-14"],
    holds: ["2.1-10", "2.1-12"],
    change: onSend(({ body }) => delete body.idempotent),
  },
  {
    wrong: "suppressed_recipients is always there",
    broken: ["2.1-15"],
    holds: ["2.1-14"],
    change: onSend(({ status, body }) => {
      if (status === 202) body.suppressed_recipients ??= [];
    }),
  },
  {
    wrong: "the record hides the bcc recipients",
    broken: ["2.1-19"],
    holds: ["2.1-18"],
    change: onStatus(({ body }) =>
      replace(body, "to_addresses", (all) => (Array.isArray(all) ? all.slice(0, 2) : all)),
    ),
  },
  {
    wrong: "listed keys have a key",
    broken: ["2.2-07"],
    holds: ["2.2-01"],
    change: onList("/api/v1/api-keys", (key) => Object.assign(key, { key: "hidden" })),
  },
  {
    wrong: "listed domains have DNS records",
    broken: ["2.3-07"],
    holds: ["2.3-05"],
    change: onList("/api/v1/domains", (domain) => Object.assign(domain, { dns_records: [] })),
  },
  {
    wrong: "a reason has another name",
    broken: ["2.4-03"],
    holds: ["2.4-02"],
    change: onEntries((entry) => replace(entry, "reason", (reason) => (reason === "hard_bounce" ? "bounce" : reason))),
  },
  {
    wrong: "every event has a bounce_type",
    broken: ["2.5-06"],
    holds: ["2.5-05"],
    change: onEvents((event) => {
      event.bounce_type ??= null;
    }),
  },
  {
    wrong: "sent is called processing",
    broken: ["3-03", "3-12"],
    holds: ["3-04"],
    change: onStatus(({ body }) => replace(body, "status", (status) => (status === "sent" ? "processing" : status))),
  },
  {
    wrong: "a complaint is kept as a hard bounce",
    broken: ["3-16"],
    holds: ["3-15"],
    change: onEntries((entry) => replace(entry, "reason", () => "hard_bounce")),
  },
  {
    wrong: "registering answers 200",
    broken: ["4-04"],
    holds: ["4-05"],
    change: (answer) => (answer.path.startsWith("/api/v1/domains") ? replaceStatus(answer, 201, 200) : undefined),
  },
  {
    wrong: "a repeat gets a new id",
    broken: ["4.1-09"],
    holds: ["4.1-11"],
    change: onSend(({ body }) => {
      if (body.idempotent === true) body.id = crypto.randomUUID();
    }),
  },
  {
    wrong: "a reused key is 422",
    broken: ["4.1-11"],
    holds: ["4.1-09"],
    change: onSend((answer) => replaceStatus(answer, 409, 422)),
  },
  {
    wrong: "the record has a field more",
    broken: ["4.2-02"],
    holds: ["4.2-01"],
    change: onStatus(({ body }) => Object.assign(body, { html: "" })),
  },
  {
    wrong: "a registered domain is 400",
    broken: ["4.3-04"],
    holds: ["4.3-02"],
    change: (answer) => replaceStatus(answer, 409, 400),
  },
  {
    wrong: "the list of domains is wrapped",
    broken: ["4.4-01"],
    holds: ["4.5-01"],
    change: (answer) => {
      if (answer.method === "GET" && answer.path === "/api/v1/domains") answer.body = { domains: answer.body };
    },
  },
  {
    wrong: "a domain has no DNS records",
    broken: ["4.5-02"],
    holds: ["4.5-03"],
    change: ({ method, body }) => (method === "GET" ? delete body.dns_records : undefined),
  },
  {
    wrong: "a removed domain stays",
    broken: ["4.6-01"],
    holds: ["4.6-03", "4.6-04"],
    withhold: ({ method, path }) =>
      method === "DELETE" && !path.endsWith("2147483647") ? { status: 200, body: { success: true } } : undefined,
  },
  {
    wrong: "expires_at is left out when there is none",
    broken: ["4.7-04"],
    holds: ["4.7-01"],
    change: ({ method, body }) => (method === "POST" && body.expires_at === null ? delete body.expires_at : undefined),
  },
  {
    wrong: "listed keys have a field more",
    broken: ["4.8-02"],
    holds: ["4.8-01"],
    change: onList("/api/v1/api-keys", (key) => Object.assign(key, { secret: "hidden" })),
  },
  {
    wrong: "a revoked key works on",
    broken: ["4.9-03"],
    holds: ["4.9-02"],
    withhold: ({ method, path }) =>
      method === "DELETE" && path.startsWith("/api/v1/api-keys/")
        ? { status: 200, body: { message: "Done." } }
        : undefined,
  },
  {
    wrong: "pagination counts in other words",
    broken: ["4.10-03"],
    holds: ["4.10-02"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/suppression") && body.pagination)
        rename(body.pagination, "total_pages", "totalPages");
    },
  },
  {
    wrong: "removing who is not listed is 200",
    broken: ["4.11-05"],
    holds: ["4.11-03"],
    change: (answer) => (answer.method === "DELETE" ? replaceStatus(answer, 404, 200) : undefined),
  },
  {
    wrong: "events come oldest first",
    broken: ["4.12-01"],
    holds: ["4.12-05"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/events") && body.data?.events) body.data.events.reverse();
    },
  },
  {
    wrong: "missing credentials are 403",
    broken: ["5-05"],
    holds: ["5-01"],
    change: (answer) => (answer.isSigned ? undefined : replaceStatus(answer, 401, 403)),
  },
  {
    wrong: "complaints have another name",
    broken: ["6-06"],
    holds: ["6-04"],
    change: onEvents((event) => replace(event, "event_type", (type) => (type === "Complaint" ? "Spam" : type))),
  },
  {
    wrong: "a domain that is not verified is a validation error",
    broken: ["7-01"],
    holds: ["7-05"],
    change: onSend(({ body }) =>
      replace(body.error, "code", (code) => (code === "DOMAIN_NOT_VERIFIED" ? "VALIDATION_ERROR" : code)),
    ),
  },
  {
    wrong: "nothing is refused for its rate",
    broken: ["8-01", "8-02", "8-03", "8-04"],
    holds: ["8-09"],
    change: (answer) => replaceStatus(answer, 429, 202),
  },
  {
    wrong: "a page has 20 entries",
    broken: ["8-05"],
    holds: ["8-07"],
    change: ({ path, body }) => {
      if (path === "/api/v1/events?mode=test") body.data.events.length = Math.min(20, body.data.events.length);
    },
  },
  {
    wrong: "any version answers",
    broken: ["9-01"],
    holds: ["9-02"],
    change: (answer) => (answer.path.startsWith("/api/v2/") ? replaceStatus(answer, 404, 200) : undefined),
  },
];

type Fields = Record<string, unknown>;

function onSend(change: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) => void (exchange.path.split("?")[0] === "/api/v1/send" && change(exchange));
}

function onStatus(change: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) =>
    void (exchange.path.split("?")[0]?.endsWith("/status") && exchange.status === 200 && change(exchange));
}

function onList(path: string, change: (row: Fields) => unknown): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.method === "GET" && exchange.path === path && Array.isArray(exchange.body))
      exchange.body.forEach(change);
  };
}

function onEntries(change: (entry: Fields) => unknown): (exchange: Exchange) => void {
  return ({ path, body }) => {
    if (path.startsWith("/api/v1/suppression?") && Array.isArray(body.data)) body.data.forEach(change);
  };
}

function onEvents(change: (event: Fields) => unknown): (exchange: Exchange) => void {
  return ({ path, body }) => {
    if (path.startsWith("/api/v1/events") && Array.isArray(body.data?.events)) body.data.events.forEach(change);
  };
}

function replace(fields: Fields | undefined, name: string, change: (value: unknown) => unknown): void {
  if (fields !== undefined && Object.hasOwn(fields, name)) fields[name] = change(fields[name]);
}

function rename(fields: Fields, from: string, to: string): void {
  fields[to] = fields[from];
  delete fields[from];
}

function replaceStatus(answer: Exchange, from: number, to: number): void {
  if (answer.status === from) answer.status = to;
}
