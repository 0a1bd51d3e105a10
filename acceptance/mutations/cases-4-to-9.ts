import type { MutationCase } from "./breaking-proxy.ts";
import { onEvents, onList, onSend, onStatus, rename, replace, replaceStatus } from "./change-answer.ts";

export const casesOfSections4To9: MutationCase[] = [
  {
    fault: "registering answers 200",
    broken: ["4-04"],
    unaffected: ["4-05"],
    change: (answer) => (answer.path.startsWith("/api/v1/domains") ? replaceStatus(answer, 201, 200) : undefined),
  },
  {
    fault: "a repeat gets a new id",
    broken: ["4.1-09"],
    unaffected: ["4.1-11"],
    change: onSend(({ body }) => {
      if (body.idempotent === true) body.id = crypto.randomUUID();
    }),
  },
  {
    fault: "a reused key is 422",
    broken: ["4.1-11"],
    unaffected: ["4.1-09"],
    change: onSend((answer) => replaceStatus(answer, 409, 422)),
  },
  {
    fault: "the record has an extra field",
    broken: ["4.2-02"],
    unaffected: ["4.2-01"],
    change: onStatus(({ body }) => Object.assign(body, { html: "" })),
  },
  {
    fault: "a registered domain is 400",
    broken: ["4.3-04"],
    unaffected: ["4.3-02"],
    change: (answer) => replaceStatus(answer, 409, 400),
  },
  {
    fault: "the list of domains is an object",
    broken: ["4.4-01"],
    unaffected: ["4.5-01"],
    change: (answer) => {
      if (answer.method === "GET" && answer.path === "/api/v1/domains") answer.body = { domains: answer.body };
    },
  },
  {
    fault: "a domain has no DNS records",
    broken: ["4.5-02"],
    unaffected: ["4.5-03"],
    change: ({ method, body }) => (method === "GET" ? delete body.dns_records : undefined),
  },
  {
    fault: "a removed domain remains",
    broken: ["4.6-01"],
    unaffected: ["4.6-03", "4.6-04"],
    intercept: ({ method, path }) =>
      method === "DELETE" && !path.endsWith("2147483647") ? { status: 200, body: { success: true } } : undefined,
  },
  {
    fault: "a key without an expiry has no expires_at",
    broken: ["4.7-04"],
    unaffected: ["4.7-01"],
    change: ({ method, body }) => (method === "POST" && body.expires_at === null ? delete body.expires_at : undefined),
  },
  {
    fault: "listed keys have an extra field",
    broken: ["4.8-02"],
    unaffected: ["4.8-01"],
    change: onList("/api/v1/api-keys", (key) => Object.assign(key, { secret: "hidden" })),
  },
  {
    fault: "a revoked key keeps working",
    broken: ["4.9-03"],
    unaffected: ["4.9-02"],
    intercept: ({ method, path }) =>
      method === "DELETE" && path.startsWith("/api/v1/api-keys/")
        ? { status: 200, body: { message: "Done." } }
        : undefined,
  },
  {
    fault: "a pagination field has another name",
    broken: ["4.10-03"],
    unaffected: ["4.10-02"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/suppression") && body.pagination)
        rename(body.pagination, "total_pages", "totalPages");
    },
  },
  {
    fault: "removing an address without an entry is 200",
    broken: ["4.11-05"],
    unaffected: ["4.11-03"],
    change: (answer) => (answer.method === "DELETE" ? replaceStatus(answer, 404, 200) : undefined),
  },
  {
    fault: "the order of events is oldest first",
    broken: ["4.12-01"],
    unaffected: ["4.12-05"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/events") && body.data?.events) body.data.events.reverse();
    },
  },
  {
    fault: "missing credentials are 403",
    broken: ["5-05"],
    unaffected: ["5-01"],
    change: (answer) => (answer.hasCredential ? undefined : replaceStatus(answer, 401, 403)),
  },
  {
    fault: "the complaint event type has another name",
    broken: ["6-06"],
    unaffected: ["6-04"],
    change: onEvents((event) => replace(event, "event_type", (type) => (type === "Complaint" ? "Spam" : type))),
  },
  {
    fault: "an unverified domain is a validation error",
    broken: ["7-01"],
    unaffected: ["7-05"],
    change: onSend(({ body }) =>
      replace(body.error, "code", (code) => (code === "DOMAIN_NOT_VERIFIED" ? "VALIDATION_ERROR" : code)),
    ),
  },
  {
    fault: "the API enforces no rate limit",
    broken: ["8-01", "8-02", "8-03", "8-04"],
    unaffected: ["8-09"],
    change: (answer) => replaceStatus(answer, 429, 202),
  },
  {
    fault: "a page has 20 entries",
    broken: ["8-05"],
    unaffected: ["8-07"],
    change: ({ path, body }) => {
      if (path === "/api/v1/events") body.data.events.length = Math.min(20, body.data.events.length);
    },
  },
  {
    fault: "an unknown version answers 200",
    broken: ["9-01"],
    unaffected: ["9-02"],
    change: (answer) => (answer.path.startsWith("/api/v2/") ? replaceStatus(answer, 404, 200) : undefined),
  },
];
