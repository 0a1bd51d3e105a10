import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type AuditFilters, toQuery } from "./audit-filters.ts";

export const pageSize = 50;
/** One request compares 10,000 entries with the filters, so a page can be empty and not the last. */
const maxEmptyPages = 20;

/** One page, newest first. It does not poll: entries never change, and new rows would move what a person reads. */
export function useAudit(filters: AuditFilters, before: string | undefined) {
  const page = useQuery({
    queryKey: ["audit", filters, before ?? "newest"],
    queryFn: ({ signal }) => readPage(filters, before, signal),
    placeholderData: keepPreviousData,
    // Another page may have changed something a moment ago.
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  return {
    rows: page.data?.entries,
    nextBefore: page.data?.pagination.next_before ?? undefined,
    isOld: page.isPlaceholderData,
    error: page.data === undefined ? page.error : null,
    retry: () => void page.refetch(),
  };
}

async function readPage(filters: AuditFilters, before: string | undefined, signal: AbortSignal) {
  const query = { ...toQuery(filters), limit: pageSize };
  let { data } = await call("GET /api/v1/audit", { query: { ...query, before }, signal });
  for (let empty = 1; empty < maxEmptyPages && data.entries.length === 0; empty++) {
    const next = data.pagination.next_before;
    if (next === null) break;
    ({ data } = await call("GET /api/v1/audit", { query: { ...query, before: next }, signal }));
  }
  return data;
}
