/** What a customer can be notified of. Triggers and `notify-sends.ts` write these names. */
export const notificationTypes = [
  "send.sent",
  "send.delivered",
  "send.delayed",
  "send.bounced",
  "send.complained",
  "send.suppressed",
  "send.failed",
  "domain.verified",
  "domain.failed",
  "suppression.added",
  "suppression.removed",
  "account.held",
  "account.released",
] as const;

export type NotificationType = (typeof notificationTypes)[number];
