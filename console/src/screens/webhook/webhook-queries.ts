import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ListWebhookDeliveriesQuery, WebhookDelivery } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";

const pageSize = 50;
/** The API reads 10,000 deliveries to find those of a state or type, so a page can be empty and not the last. */
const maxEmptyPages = 20;

export function useWebhook(id: string) {
  return useQuery({
    queryKey: [...webhooksKey, id],
    queryFn: ({ signal }) => call("GET /api/v1/webhooks/{id}", { path: { id }, signal }),
    refetchInterval: 10_000,
  });
}

export interface DeliveryPage {
  deliveries: WebhookDelivery[];
  nextBefore: string | undefined;
}

/** `toQuery` gives relative times at each request, so that an open page keeps showing the last hour. */
export function useDeliveries(
  id: string,
  {
    filterKey,
    toQuery,
    before,
  }: { filterKey: unknown; toQuery: () => ListWebhookDeliveriesQuery; before: string | undefined },
) {
  return useQuery({
    queryKey: [...webhooksKey, id, "deliveries", filterKey, before ?? "newest"],
    queryFn: ({ signal }) => readPage(id, { ...toQuery(), ...(before !== undefined && { before }) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: before === undefined ? 5_000 : false,
  });
}

async function readPage(id: string, query: ListWebhookDeliveriesQuery, signal: AbortSignal): Promise<DeliveryPage> {
  let next = query.before;
  for (let empty = 0; ; empty++) {
    const { data } = await call("GET /api/v1/webhooks/{id}/deliveries", {
      path: { id },
      query: { ...query, limit: pageSize, ...(next !== undefined && { before: next }) },
      signal,
    });
    next = data.pagination.next_before ?? undefined;
    if (data.deliveries.length > 0 || next === undefined || empty >= maxEmptyPages)
      return { deliveries: data.deliveries, nextBefore: next };
  }
}

/** Newest first. Polls fast while one is running. */
export function useReplays(id: string) {
  return useQuery({
    queryKey: [...webhooksKey, id, "replays"],
    queryFn: ({ signal }) => call("GET /api/v1/webhooks/{id}/replays", { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.some((replay) => replay.state === "running") ? 1_000 : 30_000),
  });
}
