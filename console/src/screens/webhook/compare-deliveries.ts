import type { WebhookDelivery } from "../../api/api-types.ts";

export interface Compared {
  /** The rows as shown, in their order, as they are now. */
  rows: WebhookDelivery[];
  newCount: number;
  /** The newest page has none of the shown rows, so there may be more new ones than it holds. */
  isAtLeast: boolean;
}

/** Ids grow with time. A row that no longer matches the filter stays until the person asks for new ones. */
export function compareDeliveries(
  shown: readonly WebhookDelivery[],
  newest: readonly WebhookDelivery[] | undefined,
): Compared {
  const first = shown[0];
  if (newest === undefined || first === undefined)
    return { rows: [...(newest ?? shown)], newCount: 0, isAtLeast: false };
  const latest = new Map(newest.map((delivery) => [delivery.delivery_id, delivery]));
  const added = newest.filter(({ delivery_id }) => delivery_id > first.delivery_id);
  const isAtLeast = added.length === newest.length && added.length > 0;
  return { rows: shown.map((each) => latest.get(each.delivery_id) ?? each), newCount: added.length, isAtLeast };
}
