import type { MutationCase } from "./breaking-proxy.ts";

const isPagedList = (path: string) => /^\/api\/v1\/(events|suppression)(\?|$)/.test(path);

/** Faults of the modes of an account and of query parameters. */
export const modeCases: MutationCase[] = [
  {
    fault: "a list without a mode contains live entries only",
    broken: ["4.10-07"],
    unaffected: ["4.8-01"],
    rewritePath: (path) =>
      isPagedList(path) && !path.includes("mode=") ? `${path}${path.includes("?") ? "&" : "?"}mode=live` : path,
  },
  {
    fault: "entries do not say their mode",
    broken: ["4.10-07"],
    unaffected: ["4.10-01"],
    change: ({ path, body }) => {
      if (path.startsWith("/api/v1/suppression") && Array.isArray(body?.data))
        for (const entry of body.data) delete entry.mode;
    },
  },
  {
    fault: "the API ignores an unknown parameter",
    broken: ["4-14"],
    unaffected: ["4-09"],
    rewritePath: (path) => path.replace("?Mode=test", ""),
  },
  {
    fault: "a page far back is refused",
    broken: ["4.10-08", "4.12-10"],
    unaffected: ["4.10-01"],
    change: (answer) => {
      if (answer.path.includes("page=1000000")) answer.status = 422;
    },
  },
];
