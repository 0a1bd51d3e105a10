import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { replaceStatus } from "./change-answer.ts";

/** Faults of who may read what was sent. */
export const contentCases: MutationCase[] = [
  {
    fault: "the content has no bcc",
    broken: ["10.7-01"],
    unaffected: ["10.7-03"],
    change: onContent(({ body }) => {
      if (body.bcc !== undefined) body.bcc = [];
    }),
  },
  {
    fault: "a viewer reads the content",
    broken: ["10.7-02"],
    unaffected: ["10.7-03"],
    change: onContent((answer) => replaceStatus(answer, 403, 200)),
  },
  {
    fault: "a key without the scope read reads the content",
    broken: ["10.7-03"],
    unaffected: ["10.7-01"],
    change: onContent((answer) => replaceStatus(answer, 401, 200)),
  },
  {
    fault: "reads of content are not in the audit",
    broken: ["10.7-04"],
    unaffected: ["10.7-01"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/audit?action=content.read")) body.data.entries = [];
    },
  },
  {
    fault: "the content of a send of another account is 403",
    broken: ["10.7-05"],
    unaffected: ["10.7-03"],
    change: onContent((answer) => replaceStatus(answer, 404, 403)),
  },
];

function onContent(change: (exchange: Exchange) => void): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.path.endsWith("/content")) change(exchange);
  };
}
