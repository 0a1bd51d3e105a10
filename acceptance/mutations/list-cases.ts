import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { onList, onPages } from "./change-answer.ts";

let totalOfAllTypes: number | undefined;

/** Faults of the lists of events, suppressions and domains. */
export const listCases: MutationCase[] = [
  {
    fault: "a list without a mode is an empty object",
    broken: ["4.10-03", "4.12-05"],
    unaffected: ["4.8-01"],
    change: (answer) => {
      if (isPagedList(answer) && !answer.path.includes("mode=")) answer.body = {};
    },
  },
  {
    fault: "page 2 repeats page 1",
    broken: ["4.10-05", "4.12-07"],
    unaffected: ["4.10-02", "4.12-05"],
    rewritePath: (path) => path.replace("page=2", "page=1"),
    change: onPages(({ path }, pagination) => {
      if (path.includes("page=2")) pagination.page = 2;
    }),
  },
  {
    fault: "page 2 skips entries",
    broken: ["4.10-05", "4.12-07"],
    unaffected: ["4.10-01", "4.12-04"],
    rewritePath: (path) => path.replace("page=2", "page=3"),
    change: onPages(({ path }, pagination) => {
      if (path.includes("page=2")) pagination.page = 2;
    }),
  },
  {
    fault: "page 2 repeats one event and omits another",
    broken: ["4.12-07"],
    unaffected: ["4.12-04", "4.12-05"],
    change: ({ path, body }) => {
      const events: unknown[] = body.data?.events ?? [];
      if (path.includes("page=2") && events.length > 1) events[1] = events[0];
    },
  },
  {
    fault: "page 2 repeats one suppression and omits another",
    broken: ["4.10-05"],
    unaffected: ["4.10-01", "4.10-03"],
    change: ({ path, body }) => {
      if (path.includes("page=2") && body.data?.length > 1) body.data[1] = body.data[0];
    },
  },
  {
    fault: "total is always 1",
    broken: ["4.10-06", "4.12-08"],
    unaffected: ["4.10-03", "4.12-05"],
    change: onPages((_, pagination) => Object.assign(pagination, { total: 1, total_pages: 1 })),
  },
  {
    fault: "total ignores the type",
    broken: ["4.12-08"],
    unaffected: ["4.12-02", "4.12-05"],
    change: onPages(({ path }, pagination) => {
      if (!path.includes("type=")) totalOfAllTypes = Number(pagination.total);
      else if (totalOfAllTypes !== undefined) pagination.total = totalOfAllTypes;
    }),
  },
  {
    fault: "listed domains have no identity_arn",
    broken: ["2.3-04"],
    unaffected: ["2.3-03"],
    change: onList("/api/v1/domains", (domain) => Object.assign(domain, { identity_arn: null })),
  },
  {
    fault: "a limit shortens the list of domains",
    broken: ["4.4-04"],
    unaffected: ["4.4-01", "4.4-02"],
    rewritePath: (path) => path.replace("/api/v1/domains?limit=1", "/api/v1/domains"),
    change: ({ path, body }) => {
      if (path === "/api/v1/domains?limit=1") body.length = 1;
    },
  },
];

function isPagedList({ method, path }: Exchange): boolean {
  return method === "GET" && ["/api/v1/events", "/api/v1/suppression"].includes(path.split("?")[0] ?? "");
}
