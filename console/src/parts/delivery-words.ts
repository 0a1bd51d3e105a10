import type { WebhookDelivery } from "../api/api-types.ts";

type State = WebhookDelivery["state"];

export const deliveryStates: Record<State, string> = {
  pending: "Waiting",
  delivering: "Being sent",
  paused: "Paused",
  delivered: "Delivered",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** A delivery that waits after a failure needs somebody sooner than one that waits for its first attempt. */
export function stateOf({ state, attempt_count }: Pick<WebhookDelivery, "state" | "attempt_count">) {
  const isRetry = state === "pending" && attempt_count > 0;
  return isRetry ? { status: "delayed", word: "Retrying" } : { status: lookOf[state], word: deliveryStates[state] };
}

const lookOf: Record<State, string> = {
  pending: "queued",
  delivering: "processing",
  paused: "paused",
  delivered: "delivered",
  failed: "failed",
  cancelled: "suspended",
};
