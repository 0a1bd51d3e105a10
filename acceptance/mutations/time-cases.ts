import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { onStatus } from "./change-answer.ts";

/** Faults of what Postern adds to the interface for mail that is cancelled, expires or waits for its time. */
export const timeCases: MutationCase[] = [
  {
    fault: "a cancellation changes nothing",
    broken: ["10.2-01"],
    unaffected: ["10.2-04"],
    intercept: ({ method, path }) =>
      method === "POST" && path.endsWith("/cancel") && path.split("/").length === 6
        ? { status: 200, body: { id: path.split("/")[4] } }
        : undefined,
  },
  {
    fault: "a second cancellation answers another record",
    broken: ["10.2-02"],
    unaffected: ["10.2-04"],
    change: cancelsTwice(),
  },
  {
    fault: "the cancellation of a delivered send answers 200",
    broken: ["10.2-03"],
    unaffected: ["10.2-04"],
    change: (answer) => {
      if (
        isCancel(answer) &&
        answer.status === 409 &&
        String(answer.body.error?.message).includes("accepted this send")
      ) {
        answer.status = 200;
      }
    },
  },
  {
    fault: "a cancellation by key answers another send",
    broken: ["10.2-04"],
    unaffected: ["10.2-01"],
    change: (answer) => {
      if (answer.path === "/api/v1/send/cancel" && answer.status === 200) answer.body.id = "another";
    },
  },
  {
    fault: "the cancellation of a send of another account is 403",
    broken: ["10.2-05"],
    unaffected: ["10.2-04"],
    change: (answer) => {
      if (isCancel(answer) && answer.path !== "/api/v1/send/cancel" && answer.status === 404) answer.status = 403;
    },
  },
  {
    fault: "the record has no expires_at",
    broken: ["10.2-06"],
    unaffected: ["10.2-08"],
    change: onStatus(({ body }) => delete body.expires_at),
  },
  {
    fault: "a short expiry is ignored",
    broken: ["10.2-07"],
    unaffected: ["10.2-06"],
    rewriteBody: (body) => body.replace('"ttl_seconds":1}', '"ttl_seconds":60}'),
  },
  {
    fault: "an expiry above 30 days is cut",
    broken: ["10.2-08"],
    unaffected: ["10.2-06"],
    rewriteBody: (body) => body.replace('"ttl_seconds":2592001', '"ttl_seconds":2592000'),
  },
  {
    fault: "the expiry is no part of the payload of a key",
    broken: ["10.2-09"],
    unaffected: ["10.2-06"],
    rewriteBody: (body) => body.replace(/"expires_at":"2\d{3}-[^"]*","idempotency_key"/, '"idempotency_key"'),
  },
  {
    fault: "scheduled mail is sent at once",
    broken: ["10.2-10"],
    unaffected: ["10.2-12"],
    rewriteBody: (body) => body.replace(/"scheduled_at":"[^"]*"}$/, '"scheduled_at":"2026-01-01T00:00:00Z"}'),
  },
  {
    fault: "an expiry before scheduled_at is accepted",
    broken: ["10.2-11"],
    unaffected: ["10.2-10"],
    rewriteBody: (body) => body.replace(/"expires_at":"[^"]*","scheduled_at"/, '"scheduled_at"'),
  },
  {
    fault: "scheduled mail cannot be cancelled",
    broken: ["10.2-12"],
    unaffected: ["10.2-04"],
    rewriteBody: (body) => body.replace(/"scheduled_at":"[^"]*","subject"/, '"subject"'),
  },
  {
    fault: "the cancellation of a send that failed answers 200",
    broken: ["10.2-13"],
    unaffected: ["10.2-03"],
    change: (answer) => {
      if (isCancel(answer) && String(answer.body.error?.message).includes("already failed")) answer.status = 200;
    },
  },
  {
    fault: "the cancellation of a send whose outcome is unknown answers 200",
    broken: ["10.2-14"],
    unaffected: ["10.2-03"],
    change: (answer) => {
      const isUnknown = /submitting this send now|may have submitted/.test(String(answer.body.error?.message));
      if (isCancel(answer) && isUnknown) answer.status = 200;
    },
  },
];

function isCancel({ method, path }: Exchange): boolean {
  return method === "POST" && path.endsWith("/cancel");
}

function cancelsTwice(): (answer: Exchange) => void {
  const seen = new Set<string>();
  return (answer) => {
    if (!isCancel(answer) || answer.status !== 200) return;
    if (seen.has(answer.body.id)) answer.body.error_message = "Cancelled again.";
    seen.add(answer.body.id);
  };
}
