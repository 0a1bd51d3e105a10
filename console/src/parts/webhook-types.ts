import type { Webhook } from "../api/api-types.ts";

export type NotificationType = Webhook["types"][number];

/** What a webhook can be notified of, in words. */
export const notificationTypes: Record<NotificationType, string> = {
  "send.sent": "SES accepted a mail",
  "send.delivered": "the receiving server accepted it",
  "send.delayed": "delivery is delayed",
  "send.bounced": "it was not delivered",
  "send.complained": "a recipient reported it as spam",
  "send.suppressed": "a recipient is suppressed",
  "send.failed": "a mail does not go out",
  "domain.verified": "a domain is verified",
  "domain.failed": "a domain is no longer verified",
  "suppression.added": "an address was suppressed",
  "suppression.removed": "a suppression was removed",
  "account.held": "the mail of the account waits",
  "account.released": "it goes out again",
};

export const typeNames = Object.keys(notificationTypes) as NotificationType[];

export function isNotificationType(text: string | undefined): text is NotificationType {
  return text !== undefined && Object.hasOwn(notificationTypes, text);
}
