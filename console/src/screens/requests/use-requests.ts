import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { type RequestFilters, toQuery } from "./request-filters.ts";

const limit = 50;
const pollMs = 10_000;

/** One page of the log. While it is the newest one it is read again, because entries come a few seconds after the response. */
export function useRequests(filters: RequestFilters, mode: Mode, before: string | undefined) {
  return useQuery({
    queryKey: ["requests", mode, filters, before ?? "newest"],
    queryFn: ({ signal }) =>
      call("GET /api/v1/requests", { query: { ...toQuery(filters, mode), before, limit }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: before === undefined ? pollMs : false,
  });
}

/** For the filter: the log names the keys of its entries itself. */
export function useKeyNames() {
  return useQuery({
    queryKey: ["api-keys"],
    queryFn: ({ signal }) => call("GET /api/v1/api-keys", { signal }),
    staleTime: 60_000,
  });
}
