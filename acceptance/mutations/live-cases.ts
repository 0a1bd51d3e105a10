import type { MutationCase } from "./breaking-proxy.ts";
import { onStatus } from "./change-answer.ts";

/** Faults of mail that reaches the provider. */
export const liveCases: MutationCase[] = [
  {
    fault: "the headers of a mail name its bcc recipients",
    broken: ["2.1-28"],
    unaffected: ["2.1-26"],
    isLive: true,
    rewriteBody: (body) => body.replace('"bcc":', '"cc":'),
  },
  {
    fault: "a send that fails after `sent` has no sent_at",
    broken: ["3-23"],
    unaffected: ["3-19"],
    isLive: true,
    change: onStatus(({ body }) => {
      if (body.status === "failed") body.sent_at = null;
    }),
  },
  {
    fault: "a removed domain keeps sending",
    broken: ["4.6-06"],
    unaffected: ["4.6-03"],
    isLive: true,
    intercept: ({ method, path }) =>
      method === "DELETE" && path.startsWith("/api/v1/domains/") ? { status: 200, body: { success: true } } : undefined,
  },
];
