import { randomBytes, randomUUID } from "node:crypto";

/** A mail that SES accepted, as its events identify it. */
export interface ReportedMail {
  sendId: string;
  attempt: number;
  messageId: string;
  /** When SES accepted the mail. */
  acceptedAt: string;
  recipients: string[];
}

export type ReportedEvent =
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

/** An event as SES documents it, written independently of the simulator and of the parser under test. */
export function eventText(mail: ReportedMail, event: ReportedEvent): string {
  return JSON.stringify({
    eventType: event.type,
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
    ...detailsOf(event),
  });
}

function detailsOf(event: ReportedEvent): Record<string, unknown> {
  switch (event.type) {
    case "Send":
      return { send: {} };
    case "Delivery":
      return { delivery: { timestamp: event.at, recipients: event.recipients, smtpResponse: "250 ok" } };
    case "DeliveryDelay":
      return {
        deliveryDelay: {
          timestamp: event.at,
          delayType: "MailboxFull",
          delayedRecipients: recipientList(event.recipients),
        },
      };
    case "Bounce": {
      const { at: timestamp, feedbackId, bounceType, bounceSubType, recipients } = event;
      return {
        bounce: { timestamp, feedbackId, bounceType, bounceSubType, bouncedRecipients: recipientList(recipients) },
      };
    }
    case "Complaint": {
      const { at: timestamp, feedbackId, complaintType, recipients } = event;
      const feedbackType = complaintType !== undefined && { complaintFeedbackType: complaintType };
      return { complaint: { timestamp, feedbackId, complainedRecipients: recipientList(recipients), ...feedbackType } };
    }
    case "Reject":
      return { reject: { reason: event.reason } };
  }
}

function recipientList(recipients: string[]): { emailAddress: string }[] {
  return recipients.map((emailAddress) => ({ emailAddress }));
}

/** An event as SNS writes it into a queue. Consumers do not check the signature there, so it only has the right size. */
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
