import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Mode } from "../../frame/search-state.ts";
import { compareWithNewest } from "./new-sends.ts";
import { type SendFilters, toQuery } from "./send-filters.ts";

export const pageSize = 50;

/**
 * One page of the list. The page itself is read once; while it is the newest one, a second query reads the newest page every 5 s. It
 * updates the shown rows and counts the new ones, which wait until the person asks for them.
 */
export function useSends(filters: SendFilters, mode: Mode, before: string | undefined) {
  const client = useQueryClient();
  const read = ({ signal }: { signal: AbortSignal }) =>
    call("GET /api/v1/sends", { query: { ...toQuery(filters, mode), before, limit: pageSize }, signal });
  const pageKey = ["sends", "page", mode, filters, before ?? "newest"];
  const page = useQuery({
    queryKey: pageKey,
    queryFn: read,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // A page that was left shows its newest rows when it is opened again.
    gcTime: 0,
  });
  const isNewest = before === undefined;
  const newest = useQuery({
    queryKey: ["sends", "newest", mode, filters],
    queryFn: read,
    enabled: isNewest && page.isSuccess && !page.isPlaceholderData,
    refetchInterval: 5_000,
    gcTime: 0,
  });
  const compared = compareWithNewest(
    page.data?.data.sends ?? [],
    isNewest && !page.isPlaceholderData ? newest.data?.data.sends : undefined,
  );
  return {
    rows: page.data === undefined ? undefined : compared.rows,
    newCount: compared.newCount,
    isAtLeast: compared.isAtLeast,
    checkedAt: newest.dataUpdatedAt,
    nextBefore: page.data?.data.pagination.next_before ?? undefined,
    isOld: page.isPlaceholderData,
    // A failed poll keeps the rows; only a page that was never read is an error.
    error: page.data === undefined ? page.error : null,
    isPollFailing: newest.isError,
    retry: () => void page.refetch(),
    showNew: () => {
      if (newest.data !== undefined) client.setQueryData(pageKey, newest.data);
    },
  };
}
