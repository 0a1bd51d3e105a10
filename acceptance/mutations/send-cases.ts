import { setTimeout as pause } from "node:timers/promises";
import type { MutationCase } from "./breaking-proxy.ts";
import { onEvents, onSend, replace, replaceStatus } from "./change-answer.ts";

/** Faults of sends and repeats, of the form of answers, and of log-ins. */
export const sendCases: MutationCase[] = [
  {
    fault: "the API holds each 202 back for 600 ms",
    broken: ["1-10"],
    unaffected: ["1-04"],
    change: onSend(({ status }) => (status === 202 ? pause(600) : undefined)),
  },
  {
    fault: "answers outside /send are text/html",
    broken: ["4-01"],
    unaffected: ["0-02"],
    change: (answer) => {
      if (!answer.path.startsWith("/api/v1/send")) answer.contentType = "text/html";
    },
  },
  {
    fault: "a repeat has no suppressed_recipients",
    broken: ["4.1-16"],
    unaffected: ["4.1-09", "2.1-15"],
    change: onSend(({ body }) => {
      if (body.idempotent === true) delete body.suppressed_recipients;
    }),
  },
  {
    fault: "a generated key does not deduplicate",
    broken: ["4.1-17", "4.1-18"],
    unaffected: ["4.1-09", "4.1-11"],
    rewriteBody: (body) => body.replace(/,"idempotency_key":"[0-9a-f-]{36}"/, ""),
  },
  {
    fault: "validation calls a conflict new",
    broken: ["4.1-19"],
    unaffected: ["4.1-18"],
    change: ({ path, body }) => {
      if (path === "/api/v1/send/validate") {
        replace(body.idempotency ?? undefined, "state", (state) => (state === "conflict" ? "new" : state));
      }
    },
  },
  {
    fault: "a recipient suppressed after acceptance receives the mail",
    broken: ["3-24"],
    unaffected: ["3-13"],
    change: onEvents((event) => replace(event, "event_type", (type) => (type === "Suppression" ? "Delivery" : type))),
  },
  {
    fault: "a wrong password is 400",
    broken: ["5-13"],
    unaffected: ["5-09", "5-06"],
    change: (answer) => (answer.path === "/api/v1/auth/login" ? replaceStatus(answer, 401, 400) : undefined),
  },
];
