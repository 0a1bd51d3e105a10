import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { replaceStatus } from "./change-answer.ts";

/** Faults of what Postern adds to the interface for suppressions. */
export const suppressionCases: MutationCase[] = [
  {
    fault: "an added entry has no note",
    broken: ["10.4-01"],
    unaffected: ["10.4-03"],
    change: (answer) => {
      if (isAddition(answer) && answer.body.data) answer.body.data.note = null;
    },
  },
  {
    fault: "adding a suppressed address answers 201",
    broken: ["10.4-02"],
    unaffected: ["10.4-01"],
    change: (answer) => {
      if (isAddition(answer)) answer.status = 201;
    },
  },
  {
    fault: "an addition stores nothing",
    broken: ["10.4-03"],
    unaffected: ["10.4-05"],
    intercept: ({ method, path }) =>
      method === "POST" && path.startsWith("/api/v1/suppression?")
        ? { status: 201, body: { success: true } }
        : undefined,
  },
  {
    fault: "the list ignores the reason",
    broken: ["10.4-04"],
    unaffected: ["10.4-01"],
    rewritePath: (path) => path.replace("reason=complaint&", "").replace(/[?&]reason=complaint/, ""),
  },
  {
    fault: "an import applies by default",
    broken: ["10.4-05"],
    unaffected: ["10.4-01"],
    rewriteBody: (body) => (body.startsWith('{"entries"') ? body.replace(/}$/, ',"dry_run":false}') : body),
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/suppression/import") && body.data) body.data.dry_run = true;
    },
  },
  {
    fault: "an import counts known addresses as new",
    broken: ["10.4-06"],
    unaffected: ["10.4-02"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/suppression/import") && body.data) body.data.new += body.data.known;
    },
  },
  {
    fault: "an export leaves formulas as they are",
    broken: ["10.4-07"],
    unaffected: ["10.4-01"],
    change: (answer) => {
      if (answer.path.includes("/export")) answer.body = String(answer.body).replaceAll("'=", "=");
    },
  },
  {
    fault: "an address has no entry when it is looked up",
    broken: ["10.4-08"],
    unaffected: ["10.4-04"],
    change: onLookUp((data) => {
      data.suppressions = [];
    }),
  },
  {
    fault: "the removal of a manual entry waits for the provider",
    broken: ["10.4-09"],
    unaffected: ["10.4-08"],
    change: onLookUp(({ removals }) => {
      for (const { provider } of removals) provider.status = "pending";
    }),
  },
  {
    fault: "a long note is cut",
    broken: ["10.4-10"],
    unaffected: ["10.4-01"],
    rewriteBody: (body) => body.replace("x".repeat(501), "x".repeat(500)),
  },
  {
    fault: "an addition without the right to it answers 201",
    broken: ["10.4-11"],
    unaffected: ["10.4-01"],
    change: (answer) => {
      if (answer.path === "/api/v1/suppression") replaceStatus(answer, 403, 201);
    },
  },
];

interface State {
  suppressions: unknown[];
  removals: { provider: { status: string } }[];
}

function onLookUp(change: (data: State) => void): (exchange: Exchange) => void {
  return ({ method, path, body }) => {
    if (method === "GET" && path.startsWith("/api/v1/suppression/") && body?.data?.removals) change(body.data);
  };
}

function isAddition({ method, path }: Exchange): boolean {
  return method === "POST" && path.startsWith("/api/v1/suppression?");
}
