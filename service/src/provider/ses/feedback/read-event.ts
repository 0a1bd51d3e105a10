import type { AboutMail, Feedback, FeedbackReading } from "../../feedback.ts";
import {
  arrayIn,
  InvalidEvent,
  type Json,
  lineIn,
  objectIn,
  optionalLineIn,
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
 * future.
 */
export function readEvent(text: string): FeedbackReading {
  if (text.length > maxBodyCharacters) return { kind: "unreadable", reason: "too long" };
  if (text.trim() === topicValidation) return { kind: "ignored", type: "topic-validation" };
  try {
    return eventFrom(parseObject(text));
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
      return { kind: "delivery", ...about(event, "delivery", (part) => arrayIn(part, "recipients")) };
    case "Bounce":
      return bounceFrom(event);
    case "Complaint":
      return complaintFrom(event);
    case "Reject":
      return { kind: "reject", ...aboutWholeMail(event), reason: reasonIn(event, "reject", "reason") };
    case "Rendering Failure":
      return { kind: "reject", ...aboutWholeMail(event), reason: reasonIn(event, "failure", "errorMessage") };
    case "DeliveryDelay":
      return { kind: "delay", ...about(event, "deliveryDelay", (part) => addressesIn(part, "delayedRecipients")) };
    default:
      return { kind: "ignored", type };
  }
}

function bounceFrom(event: Json): Feedback {
  const part = objectIn(event, "bounce");
  return {
    kind: "bounce",
    ...about(event, "bounce", () => addressesIn(part, "bouncedRecipients")),
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
    ...about(event, "complaint", () => addressesIn(part, "complainedRecipients")),
    complaintType,
    isSpam: complaintType?.toLowerCase() !== "not-spam",
  };
}

function about(event: Json, partName: string, recipientsOf: (part: Json) => unknown[]): AboutMail {
  const part = objectIn(event, partName);
  return {
    ...aboutMail(event),
    at: timeIn(part, "timestamp"),
    recipients: bareAddresses(recipientsOf(part)),
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

function addressesIn(part: Json, name: string): unknown[] {
  return arrayIn(part, name).map((entry) => objectIn({ entry }, "entry").emailAddress);
}

function bareAddresses(entries: unknown[]): string[] {
  if (entries.length > maxRecipients) throw new InvalidEvent("too many recipients");
  return [...new Set(entries.map((address) => bareAddress(lineIn({ address }, "address"))))];
}

/** SES copies addresses from the request, which may have the form `Name <local@domain>`. */
function bareAddress(text: string): string {
  return /<([^<>]+)>$/.exec(text)?.[1]?.trim() ?? text;
}
