import type { Page } from "playwright-core";

export interface RequestTimes {
  /** The durations of each kind of request in milliseconds, from the request to the end of the response. */
  kinds: Map<string, number[]>;
  /** Unexpected responses, and requests without one. */
  failures: string[];
}

export function newRequestTimes(): RequestTimes {
  return { kinds: new Map(), failures: [] };
}

/** Records every API request of the page. A request that the page itself cancels has no duration. */
export function recordRequests(page: Page, { kinds, failures }: RequestTimes): void {
  page.on("requestfinished", async (request) => {
    if (!request.url().includes("/api/v1/")) return;
    const kind = kindOf(request.method(), request.url());
    const { requestStart, responseEnd } = request.timing();
    const status = (await request.response())?.status() ?? 0;
    if (!isExpected(status, kind)) failures.push(`${status} ${kind}`);
    kinds.set(kind, [...(kinds.get(kind) ?? []), responseEnd - requestStart]);
  });
  page.on("requestfailed", (request) => {
    if (request.url().includes("/api/v1/") && request.failure()?.errorText !== "net::ERR_ABORTED")
      failures.push(`${request.failure()?.errorText} ${kindOf(request.method(), request.url())}`);
  });
}

/** The content of these sends was never stored, as after its retention time, and most addresses are not suppressed. */
function isExpected(status: number, kind: string): boolean {
  if (status === 410) return kind === "POST /send/{}/content/view";
  if (status === 404) return kind.startsWith("GET /suppression/{}");
  return status >= 200 && status <= 299;
}

/** Values of some parameters decide how the API reads; of the others only the name counts. */
const telling = ["mode", "type", "status", "by", "group", "limit"];

function kindOf(method: string, address: string): string {
  const { pathname, searchParams } = new URL(address);
  const path = pathname
    .replace("/api/v1", "")
    .split("/")
    .map((part) => (/^\d+$|-.*-|@|%40/.test(part) ? "{}" : part))
    .join("/");
  const query = [...searchParams]
    .map(([name, value]) => (telling.includes(name) ? `${name}=${value}` : name))
    .toSorted();
  return `${method} ${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

export function at(times: number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}
