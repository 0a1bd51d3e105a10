import { randomBytes, randomUUID } from "node:crypto";

/** A mail that SES took, as its events name it. */
export interface ReportedMail {
  sendId: string;
  attempt: number;
  messageId: string;
  /** When SES took it. */
  acceptedAt: string;
  recipients: string[];
}

export type Told =
  | { type: "Send" }
  | { type: "Delivery" | "DeliveryDelay"; at: string; recipients: string[] }
  | {
      type: "Bounce";
      at: string;
      recipients: string[];
      feedbackId: string;
      bounceType: "Permanent" | "Transient" | "Undetermined";
      bounceSubType: string;
    }
  | { type: "Complaint"; at: string; recipients: string[]; feedbackId: string; complaintType: string | undefined }
  | { type: "Reject"; reason: string };

/** An event as SES documents it, written apart from the simulator and from the code that reads it. */
export function eventText(mail: ReportedMail, told: Told): string {
  return JSON.stringify({
    eventType: told.type,
    mail: {
      timestamp: mail.acceptedAt,
      source: "orders@shop.test",
      sendingAccountId: "000000000000",
      messageId: mail.messageId,
      destination: mail.recipients,
      headersTruncated: false,
      headers: [
        { name: "From", value: "orders@shop.test" },
        { name: "Subject", value: "Your order" },
      ],
      commonHeaders: { from: ["orders@shop.test"], to: mail.recipients, subject: "Your order" },
      tags: { "ses:operation": ["SendEmail"], send_id: [mail.sendId], attempt: [String(mail.attempt)] },
    },
    ...partOf(told),
  });
}

function partOf(told: Told): Record<string, unknown> {
  switch (told.type) {
    case "Send":
      return { send: {} };
    case "Delivery":
      return { delivery: { timestamp: told.at, recipients: told.recipients, smtpResponse: "250 ok" } };
    case "DeliveryDelay":
      return {
        deliveryDelay: { timestamp: told.at, delayType: "MailboxFull", delayedRecipients: named(told.recipients) },
      };
    case "Bounce": {
      const { at: timestamp, feedbackId, bounceType, bounceSubType, recipients } = told;
      return { bounce: { timestamp, feedbackId, bounceType, bounceSubType, bouncedRecipients: named(recipients) } };
    }
    case "Complaint": {
      const { at: timestamp, feedbackId, complaintType, recipients } = told;
      const given = complaintType !== undefined && { complaintFeedbackType: complaintType };
      return { complaint: { timestamp, feedbackId, complainedRecipients: named(recipients), ...given } };
    }
    case "Reject":
      return { reject: { reason: told.reason } };
  }
}

function named(recipients: string[]): { emailAddress: string }[] {
  return recipients.map((emailAddress) => ({ emailAddress }));
}

/** As SNS writes it into a queue; the signature is not checked there and has only its size. */
export function envelopeText(topicArn: string, message: string): string {
  return JSON.stringify({
    Type: "Notification",
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: message,
    Timestamp: new Date().toISOString(),
    SignatureVersion: "2",
    Signature: randomBytes(256).toString("base64"),
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem",
    UnsubscribeURL: "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
  });
}
