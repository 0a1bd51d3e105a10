import type { Webhook } from "../../api/api-types.ts";
import { formatDateTime } from "../../parts/format-time.ts";
import { successText } from "../../parts/webhook-health.tsx";

/** What the page answers: does this webhook get its notifications, and if not, what to do? */
export function webhookSentence(webhook: Webhook): { lead: string; rest: string } {
  const { status, disabled_reason: reason, failing_since: since } = webhook;
  const failing = since === null ? "" : ` Attempts failed since ${formatDateTime(Date.parse(since))}.`;
  if (status === "disabled") {
    if (reason === "gone") {
      return {
        lead: "Postern disabled this webhook: it answered 410.",
        rest: "That status means that nobody wants notifications there any more. Enable it to send what waits.",
      };
    }
    if (reason === "failing") {
      return {
        lead: "Postern disabled this webhook: nothing was accepted for 5 days.",
        rest: `${failing.trim()} Fix the cause, then enable it: what waits is sent then.`.trim(),
      };
    }
    return {
      lead: "This webhook is disabled.",
      rest: "Nothing new is stored for it. What waited is sent when you enable it.",
    };
  }
  if (status === "failing") {
    return {
      lead: "This webhook does not accept notifications.",
      rest: `${failing.trim()} Postern tries again for about three days.`,
    };
  }
  const success = successText(webhook);
  if (success === undefined)
    return { lead: "This webhook is enabled.", rest: "Nothing was sent to it in the last 24 hours." };
  return { lead: "This webhook works.", rest: `It accepted ${success} notifications of the last 24 hours.` };
}
