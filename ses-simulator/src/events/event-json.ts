import { type LedgerRecord, recipientsOf } from "../ledger/ledger-record.ts";
import { domainOf, parseAddress } from "../ses/address.ts";
import { headerValue } from "../ses/mime/parse-headers.ts";
import type { Settings } from "../settings.ts";
import type { EventDetails } from "./planned-event.ts";

type Json = Record<string, unknown>;

interface EventContext {
  settings: Settings;
  at: number;
  /** The same in all copies of one bounce or complaint. */
  feedbackId: string;
}

/** The JSON of an event, as SES publishes it to a topic. */
export function eventJson(record: LedgerRecord, details: EventDetails, context: EventContext): string {
  return JSON.stringify({
    eventType: details.type,
    mail: mailJson(record, details, context),
    ...eventBody(record, details, context),
  });
}

function mailJson(record: LedgerRecord, details: EventDetails, { settings }: EventContext): Json {
  // The samples that AWS publishes for DeliveryDelay have no headers.
  const headers = details.type === "DeliveryDelay" ? {} : headersJson(record);
  return {
    timestamp: record.acceptedAt,
    source: record.from,
    sourceArn: `arn:aws:ses:${settings.region}:${settings.accountId}:identity/${record.identity}`,
    sendingAccountId: settings.accountId,
    messageId: record.messageId,
    destination: recipientsOf(record),
    ...headers,
    tags: {
      "ses:operation": ["SendEmail"],
      "ses:configuration-set": [record.configurationSetName],
      "ses:source-ip": ["127.0.0.1"],
      "ses:from-domain": [domainOf(parseAddress(record.from).spec)],
      "ses:caller-identity": ["ses-simulator"],
      ...(details.type === "Delivery" && { "ses:outgoing-ip": ["192.0.2.25"] }),
      ...record.tags,
    },
  };
}

function headersJson(record: LedgerRecord): Json {
  const { to, cc } = record.destination;
  return {
    headersTruncated: record.headersTruncated,
    headers: record.headers,
    commonHeaders: {
      from: [headerValue(record.headers, "from") ?? record.from],
      ...(record.replyTo.length > 0 && { replyTo: record.replyTo }),
      to,
      ...(cc.length > 0 && { cc }),
      messageId: record.messageId,
      subject: record.subject,
    },
  };
}

function eventBody(record: LedgerRecord, details: EventDetails, { settings, at, feedbackId }: EventContext): Json {
  const timestamp = new Date(at).toISOString();
  const reportingMTA = `a8-25.smtp-out.${settings.region}.amazonses.com`;
  switch (details.type) {
    case "Send":
      return { send: {} };
    case "Delivery": {
      const processingTimeMillis = Math.max(1, Math.round(at - Date.parse(record.acceptedAt)));
      const { recipients } = details;
      const smtpResponse = "250 2.6.0 Message received";
      return {
        delivery: { timestamp, processingTimeMillis, recipients, smtpResponse, reportingMTA, remoteMtaIp: "192.0.2.1" },
      };
    }
    case "Bounce": {
      const { bounceType, bounceSubType } = details;
      const bouncedRecipients = details.recipients.map((emailAddress) =>
        bouncedRecipient(emailAddress, bounceType, bounceSubType),
      );
      return {
        bounce: {
          feedbackId,
          bounceType,
          bounceSubType,
          bouncedRecipients,
          timestamp,
          reportingMTA: `dns; ${reportingMTA}`,
        },
      };
    }
    case "Complaint":
      return {
        complaint: {
          feedbackId,
          complaintSubType: details.complaintSubType ?? null,
          complainedRecipients: details.recipients.map((emailAddress) => ({ emailAddress })),
          timestamp,
          ...(details.feedbackType !== undefined && {
            userAgent: "Amazon SES Mailbox Simulator",
            complaintFeedbackType: details.feedbackType,
            arrivalDate: timestamp,
          }),
        },
      };
    case "Reject":
      return { reject: { reason: details.reason } };
    case "DeliveryDelay": {
      const delayedRecipients = details.recipients.map((emailAddress) => ({
        emailAddress,
        status: "4.4.1",
        diagnosticCode: "smtp; 421 4.4.1 Unable to connect to remote host",
      }));
      const expirationTime = new Date(Date.parse(record.acceptedAt) + 50_400_000).toISOString();
      return {
        deliveryDelay: { timestamp, delayType: details.delayType, expirationTime, delayedRecipients, reportingMTA },
      };
    }
  }
}

/** SES does not send to a suppressed recipient, so its bounce has no response of a remote server. */
function bouncedRecipient(emailAddress: string, bounceType: string, bounceSubType: string): Json {
  if (bounceSubType === "Suppressed" || bounceSubType === "OnAccountSuppressionList") {
    const diagnosticCode = "Amazon SES did not send the message to this address because it is on the suppression list.";
    return { emailAddress, action: "failed", status: "5.1.1", diagnosticCode };
  }
  if (bounceType === "Permanent") {
    return { emailAddress, action: "failed", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 user unknown" };
  }
  return { emailAddress, action: "failed", status: "4.2.2", diagnosticCode: "smtp; 452 4.2.2 try again later" };
}
