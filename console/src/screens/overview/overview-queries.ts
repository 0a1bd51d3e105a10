import type { QueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Mode, SearchValues } from "../../frame/search-state.ts";
import { accountQuery, keyListQuery, usageQuery } from "../../parts/usage-query.ts";
import { rangeBefore, readRange } from "../../parts/usage-range.ts";
import { rateDays } from "./rate-points.ts";

type Signal = { signal: AbortSignal };
const pollMs = 30_000;

export function domainListQuery() {
  return {
    queryKey: ["domains", "states"],
    queryFn: ({ signal }: Signal) => call("GET /api/v1/domains", { signal }),
    refetchInterval: pollMs,
  };
}

/** Whether the account ever sent mail in this mode. */
export function hasSentQuery(mode: Mode) {
  return {
    queryKey: ["sends", mode, "any"],
    queryFn: async ({ signal }: Signal) => {
      const { data } = await call("GET /api/v1/sends", { query: { mode, limit: 1 }, signal });
      return data.sends.length > 0;
    },
    refetchInterval: ({ state }: { state: { data: boolean | undefined } }) => (state.data === true ? false : pollMs),
  };
}

/** The rates are those of live mail, whichever mode the page shows. */
export function rateQuery(now: number) {
  return usageQuery(rateDays(now), { by: "day", mode: "live" });
}

/**
 * Starts every request of the page at once. `app.tsx` calls it while the session is refreshed, so that nothing waits for the frame.
 * Errors stay in the queries; the page shows them. A browser sends six at a time, so the figures come first.
 */
export function preload(queryClient: QueryClient, search: SearchValues): void {
  const mode: Mode = search.mode === "test" ? "test" : "live";
  const now = Date.now();
  const range = readRange(search, now);
  void queryClient.prefetchQuery(usageQuery(range, { mode }));
  void queryClient.prefetchQuery(usageQuery(rangeBefore(range), { mode }));
  void queryClient.prefetchQuery(accountQuery(mode));
  void queryClient.prefetchQuery(domainListQuery());
  void queryClient.prefetchQuery(keyListQuery());
  void queryClient.prefetchQuery(hasSentQuery("live"));
  void queryClient.prefetchQuery(hasSentQuery("test"));
  if (mode === "live") void queryClient.prefetchQuery(rateQuery(now));
}
