import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";
import { applyFeedback } from "../../src/feedback/apply-feedback.ts";
import type { Feedback } from "../../src/provider/feedback.ts";
import type { NotificationType } from "../../src/webhooks/notification-types.ts";
import type { ReportedMail } from "../feedback/event-texts.ts";

/** What customers are notified of after `deliveryAndBounce`, once each. */
export const reportedTypes = [
  "send.delivered",
  "send.bounced",
  "suppression.added",
] as const satisfies NotificationType[];

/** Of a mail with two recipients: the first got it, the second has no mailbox. */
export function deliveryAndBounce(mail: ReportedMail): Feedback[] {
  const [first = "", second = ""] = mail.recipients;
  return [
    { ...about(mail, first), kind: "delivery" },
    { ...about(mail, second), kind: "bounce", bounce: { type: "Permanent", subtype: "General" } },
  ];
}

export function deliveryOf(mail: ReportedMail): Feedback {
  return { ...about(mail, mail.recipients[0] ?? ""), kind: "delivery" };
}

function about(mail: ReportedMail, recipient: string) {
  return {
    providerMessageId: mail.messageId,
    sendId: mail.sendId,
    attempt: mail.attempt,
    submittedAt: mail.acceptedAt,
    at: new Date().toISOString(),
    recipients: [recipient],
    feedbackId: `${mail.sendId}-${recipient}`,
  };
}

const patienceMs = 120_000;

/** SQS would deliver a report again that could not be applied. The second copy of one that was applied changes nothing. */
export async function applyUntilStored(db: Database, reports: Feedback[]): Promise<void> {
  await untilItWorks(() => applyFeedback(db, reports, Date.now()));
}

/** Repeats the work while the database is down. */
export async function untilItWorks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(100);
    }
  }
}
