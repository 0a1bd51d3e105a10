import type { AboutMail, Feedback, FeedbackReading, ServerReply } from "../../feedback.ts";
import { checkTag } from "../check-tag.ts";
import {
  arrayIn,
  foreignTextIn,
  InvalidEvent,
  type Json,
  lineIn,
  objectIn,
  optionalLineIn,
  optionalTimeIn,
  parseObject,
  timeIn,
} from "./event-json.ts";

/** The maximum size of an SQS message. */
export const maxBodyCharacters = 1_048_576;

/** SES publishes this text, which is not JSON, to a topic when an event destination is created for it. */
const topicValidation = "Successfully validated SNS topic for Amazon SES event publishing.";

const maxRecipients = 1_000;

/**
 * Reads one SES event of a configuration set or an identity. It tolerates fields and values that SES adds in the
 * future. Events of `postern aws check` are ignored, and with a `checkId` all others.
 */
export function readEvent(text: string, checkId = ""): FeedbackReading {
  if (text.length > maxBodyCharacters) return { kind: "unreadable", reason: "too long" };
  if (text.trim() === topicValidation) return { kind: "ignored", type: "topic-validation" };
  try {
    const event = parseObject(text);
    return checkIdIn(event) === checkId ? eventFrom(event) : { kind: "ignored", type: "aws-check" };
  } catch (error) {
    if (error instanceof InvalidEvent) return { kind: "unreadable", reason: error.message };
    throw error;
  }
}

function eventFrom(event: Json): FeedbackReading {
  // Notifications of identities use `notificationType` and have no tags.
  const type = lineIn(event, "eventType" in event ? "eventType" : "notificationType");
  switch (type) {
    case "Send":
      return { kind: "send", ...aboutWholeMail(event) };
    case "Delivery":
      return deliveryFrom(event);
    case "Bounce":
      return bounceFrom(event);
    case "Complaint":
      return complaintFrom(event);
    case "Reject":
      return { kind: "reject", ...aboutWholeMail(event), reason: reasonIn(event, "reject", "reason") };
    case "Rendering Failure":
      return { kind: "reject", ...aboutWholeMail(event), reason: reasonIn(event, "failure", "errorMessage") };
    case "DeliveryDelay":
      return delayFrom(event);
    default:
      return { kind: "ignored", type };
  }
}

function deliveryFrom(event: Json): Feedback {
  const part = objectIn(event, "delivery");
  const { processingTimeMillis: durationMs } = part;
  const reply = { text: foreignTextIn(part, "smtpResponse") };
  return {
    kind: "delivery",
    ...about(event, "delivery", () => arrayIn(part, "recipients").map((address) => ({ address, reply }))),
    durationMs: isDuration(durationMs) ? durationMs : undefined,
  };
}

/** It fits into an integer column. */
function isDuration(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;
}

function delayFrom(event: Json): Feedback {
  const part = objectIn(event, "deliveryDelay");
  return {
    kind: "delay",
    ...about(event, "deliveryDelay", () => recipientsIn(part, "delayedRecipients")),
    delayType: optionalLineIn(part, "delayType"),
    expiresAt: optionalTimeIn(part, "expirationTime"),
  };
}

function bounceFrom(event: Json): Feedback {
  const part = objectIn(event, "bounce");
  return {
    kind: "bounce",
    ...about(event, "bounce", () => recipientsIn(part, "bouncedRecipients")),
    bounce: {
      // A bounce type that SES adds in the future must not suppress an address.
      type: lineIn(part, "bounceType") === "Permanent" ? "Permanent" : "Transient",
      subtype: optionalLineIn(part, "bounceSubType") ?? "Undetermined",
    },
  };
}

function complaintFrom(event: Json): Feedback {
  const part = objectIn(event, "complaint");
  const complaintType = optionalLineIn(part, "complaintFeedbackType");
  return {
    kind: "complaint",
    ...about(event, "complaint", () => recipientsIn(part, "complainedRecipients")),
    complaintType,
    isSpam: complaintType?.toLowerCase() !== "not-spam",
  };
}

interface ReportedRecipient {
  address: unknown;
  reply: ServerReply;
}

function about(event: Json, partName: string, recipientsOf: () => ReportedRecipient[]): AboutMail {
  const part = objectIn(event, partName);
  const reported = recipientsOf();
  if (reported.length > maxRecipients) throw new InvalidEvent("too many recipients");
  const replies = new Map<string, ServerReply>();
  for (const { address, reply } of reported) {
    const bare = bareAddress(lineIn({ address }, "address"));
    // The first reply counts for an address that is named twice.
    if (!replies.has(bare)) replies.set(bare, reply);
  }
  return {
    ...aboutMail(event),
    at: timeIn(part, "timestamp"),
    recipients: [...replies.keys()],
    replies: [...replies.values()],
    reportingMta: foreignTextIn(part, "reportingMTA"),
    feedbackId: optionalLineIn(part, "feedbackId"),
  };
}

/** Send, Reject and Rendering Failure have the time of the mail and concern all recipients. */
function aboutWholeMail(event: Json): AboutMail {
  const mail = objectIn(event, "mail");
  const recipients = "destination" in mail ? bareAddresses(arrayIn(mail, "destination")) : [];
  return { ...aboutMail(event), at: timeIn(mail, "timestamp"), recipients, feedbackId: undefined };
}

function aboutMail(event: Json) {
  const mail = objectIn(event, "mail");
  const attempt = tagIn(mail, "attempt");
  const sendId = tagIn(mail, "send_id");
  return {
    providerMessageId: lineIn(mail, "messageId"),
    sendId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sendId) ? sendId : undefined,
    // Nine digits exceed the attempts of any send and fit into an integer column.
    attempt: /^[1-9]\d{0,8}$/.test(attempt) ? Number(attempt) : undefined,
    submittedAt: timeIn(mail, "timestamp"),
  };
}

function checkIdIn({ mail }: Json): string {
  return typeof mail === "object" && mail !== null ? tagIn(objectIn({ mail }, "mail"), checkTag) : "";
}

/** SES stores a tag as a list of values; Postern's tags have exactly one. */
function tagIn(mail: Json, name: string): string {
  const { tags } = mail;
  const values = typeof tags === "object" && tags !== null ? objectIn(mail, "tags")[name] : undefined;
  const [value, ...more]: unknown[] = Array.isArray(values) ? values : [];
  return typeof value === "string" && more.length === 0 ? value : "";
}

function reasonIn(event: Json, partName: string, name: string): string {
  return partName in event ? (optionalLineIn(objectIn(event, partName), name) ?? "") : "";
}

function recipientsIn(part: Json, name: string): ReportedRecipient[] {
  return arrayIn(part, name).map((entry) => {
    const recipient = objectIn({ entry }, "entry");
    const reply = { status: statusIn(recipient), text: foreignTextIn(recipient, "diagnosticCode") };
    return { address: recipient.emailAddress, reply };
  });
}

function statusIn(recipient: Json): string | undefined {
  return /^[245]\.\d{1,3}\.\d{1,3}$/.exec(foreignTextIn(recipient, "status") ?? "")?.[0];
}

function bareAddresses(entries: unknown[]): string[] {
  if (entries.length > maxRecipients) throw new InvalidEvent("too many recipients");
  return [...new Set(entries.map((address) => bareAddress(lineIn({ address }, "address"))))];
}

/** SES copies addresses from the request, which may have the form `Name <local@domain>`. */
function bareAddress(text: string): string {
  return /<([^<>]+)>$/.exec(text)?.[1]?.trim() ?? text;
}
