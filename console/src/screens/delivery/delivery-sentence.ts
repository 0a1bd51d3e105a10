import type { WebhookDeliveryDetails } from "../../api/api-types.ts";
import { formatCount } from "../../parts/format-number.ts";
import { formatDateTime, formatDuration, formatRelative } from "../../parts/format-time.ts";

/** What happened to the delivery, and what happens next. */
export function deliverySentence(delivery: WebhookDeliveryDetails, now = Date.now()): { lead: string; rest: string } {
  const { state, attempts, duration_ms: duration, next_attempt_at: next, finished_at: end } = delivery;
  const last = attempts.at(-1);
  const tries = formatCount(delivery.attempt_count, "attempt");
  const failure = last?.failure ?? "";
  switch (state) {
    case "delivered":
      return {
        lead: `The endpoint accepted it${delivery.attempt_count > 1 ? ` at attempt ${delivery.attempt_count}` : ""}.`,
        rest: duration === null ? "" : `It answered ${last?.status ?? "2xx"} after ${formatDuration(duration)}.`,
      };
    case "failed":
      return {
        lead: `It was not delivered: all ${tries} failed.`,
        rest: `${failure} Postern gave up ${end === null ? "" : formatRelative(Date.parse(end), { now })}. Replay it when the endpoint works.`,
      };
    case "cancelled":
      return { lead: "It was cancelled, because the webhook was deleted.", rest: "" };
    case "paused":
      return { lead: "It waits, because the webhook is disabled.", rest: "Enable the webhook to send it." };
    case "delivering":
      return { lead: "Postern is sending it now.", rest: failure };
    case "pending":
      if (last === undefined) return { lead: "It waits for its first attempt.", rest: "" };
      return { lead: `${tries} failed. ${nextText(next, now)}`, rest: failure };
  }
}

function nextText(next: string | null, now: number): string {
  const at = Date.parse(next ?? "");
  if (Number.isNaN(at) || at <= now) return "The next one is made now.";
  return `The next one is ${formatRelative(at, { now })}, at ${formatDateTime(at).split(", ").at(-1)}.`;
}
