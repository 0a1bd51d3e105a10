import { timeText } from "../../plain-text.ts";
import { notificationTypes } from "../../webhooks/notification-types.ts";
import type { LocalAnswer } from "./forward-notification.ts";
import type { ListenedNotification } from "./listener-api.ts";

const typeWidth = Math.max(...notificationTypes.map(({ length }) => length));

/** "✓ 2026-11-15 09:30:05 UTC  send.bounced         jane@example.com  200  12 ms" */
export function notificationLine(
  notification: ListenedNotification,
  { status, durationMs, failure }: LocalAnswer,
  now = new Date(),
): string {
  const columns = [
    `${failure === undefined ? "✓" : "✗"} ${timeText(now.toISOString())}`,
    notification.type.padEnd(typeWidth),
    subjectOf(notification.body),
    `${status ?? "-"}`.padEnd(3),
    `${durationMs} ms`,
    ...(failure === undefined ? [] : [failure]),
  ];
  // A column of a customer's text must not look like two lines.
  return columns.join("  ").replaceAll("\n", " ");
}

interface Subject {
  recipient?: string;
  send?: { id: string };
  domain?: { name: string };
  suppression?: { email?: string };
  account?: { held_by: string };
}

/** What the notification is about: the recipient, or else the send, the domain, the address or the account. */
function subjectOf(body: string): string {
  const { data }: { data: Subject } = JSON.parse(body);
  const { recipient, send, domain, suppression, account } = data;
  return recipient ?? send?.id ?? domain?.name ?? suppression?.email ?? `by the ${account?.held_by ?? "operator"}`;
}
