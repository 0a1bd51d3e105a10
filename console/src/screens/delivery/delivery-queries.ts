import { useQuery } from "@tanstack/react-query";
import type { WebhookDeliveryDetails } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { webhooksKey } from "../../parts/webhook-queries.ts";

const isFinal = ({ state }: WebhookDeliveryDetails) => ["delivered", "failed", "cancelled"].includes(state);

/** Polls until nothing can change any more. */
export function useDelivery(webhookId: string, deliveryId: string) {
  return useQuery({
    queryKey: [...webhooksKey, webhookId, "delivery", deliveryId],
    queryFn: ({ signal }) =>
      call("GET /api/v1/webhooks/{id}/deliveries/{delivery_id}", {
        path: { id: webhookId, delivery_id: deliveryId },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data === undefined || isFinal(state.data) ? false : 2_000),
  });
}
