import { constants, type KeyObject, verify } from "node:crypto";
import type { CertificateCache } from "./certificate-cache.ts";
import { isEnvelopeShape } from "./envelope-shape.ts";
import { InvalidEvent, type Json, parseObject } from "./event-json.ts";
import { maxBodyCharacters } from "./read-event.ts";

export interface SignatureRules {
  /** Postern trusts exactly these topics. */
  topicArns: readonly string[];
  /** The origin of certificates instead of Amazon's; for the simulator only. */
  certificateOrigin: string | undefined;
  certificates: CertificateCache;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Holds only values that the signature covers. */
export interface SnsMessage {
  type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  messageId: string;
  topicArn: string;
  message: string;
  /** Empty for a notification. */
  token: string;
}

export type SignatureCheck =
  | { kind: "genuine"; message: SnsMessage }
  | { kind: "forged"; reason: Forgery }
  /** The certificate is not available, so the message may be genuine. */
  | { kind: "cannot-check"; reason: string };

export type Forgery =
  | "not an SNS message"
  | "unknown topic"
  | "signature version is not 2"
  | "certificate address is not allowed"
  | "timestamp is more than an hour off"
  | "certificate is not valid at this time"
  | "signature does not match";

/** SNS retries for at most an hour. */
const maxAgeMs = 3_600_000;

const signedNames = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

/**
 * Decides whether SNS wrote this text for one of our topics. It checks everything that needs no certificate first, so
 * an attacker can cause only fetches from the allowed host, and parses only text in the shape of an SNS message. It uses neither the HTTP headers nor the links of the
 * message.
 */
export async function checkSignature(rules: SignatureRules, text: string): Promise<SignatureCheck> {
  const given = fieldsIn(text);
  if (given === undefined) return forged("not an SNS message");
  if (!rules.topicArns.includes(given.TopicArn)) return forged("unknown topic");
  // Version 1 is SHA-1. `postern aws setup` configures our topics to sign with version 2.
  if (given.SignatureVersion !== "2") return forged("signature version is not 2");
  if (!isCertificateUrl(given.SigningCertURL, rules.certificateOrigin ?? certificateOriginOf(given.TopicArn))) {
    return forged("certificate address is not allowed");
  }
  const now = rules.now();
  if (!(Math.abs(now - Date.parse(given.Timestamp)) <= maxAgeMs)) return forged("timestamp is more than an hour off");
  const found = await rules.certificates.find(given.SigningCertURL);
  if (found.kind === "unavailable") return { kind: "cannot-check", reason: found.reason };
  if (!(found.validFrom <= now && now <= found.validTo)) return forged("certificate is not valid at this time");
  return isSignedBy(found.publicKey, given)
    ? { kind: "genuine", message: messageFrom(given) }
    : forged("signature does not match");
}

type Fields = Record<(typeof requiredNames)[number], string> & {
  Type: SnsMessage["type"];
  Subject?: string;
  Token?: string;
  SubscribeURL?: string;
};

const requiredNames = [
  "Type",
  "MessageId",
  "TopicArn",
  "Message",
  "Timestamp",
  "SignatureVersion",
  "Signature",
  "SigningCertURL",
] as const;

function fieldsIn(text: string): Fields | undefined {
  if (text.length > maxBodyCharacters || !isEnvelopeShape(text)) return undefined;
  const content = findObject(text);
  const type = typeOf(content?.Type);
  if (content === undefined || type === undefined) return undefined;
  const isComplete = [...requiredNames, ...signedNames[type]].every(
    (name) => typeof content[name] === "string" || (name === "Subject" && content[name] === undefined),
  );
  // `isComplete` proves that every member of `Fields` is a string.
  const fields = content as Fields;
  return isComplete && isUnambiguous(fields) ? fields : undefined;
}

function findObject(text: string): Json | undefined {
  try {
    return parseObject(text);
  } catch (error) {
    if (error instanceof InvalidEvent) return undefined;
    throw error;
  }
}

function typeOf(type: unknown): SnsMessage["type"] | undefined {
  const isKnown = type === "Notification" || type === "SubscriptionConfirmation" || type === "UnsubscribeConfirmation";
  return isKnown ? type : undefined;
}

/**
 * The signed text separates names and values only by line breaks. A line break in any value but the first would let
 * another message have the same signed text, with the end of one field moved into the next.
 */
function isUnambiguous(fields: Fields): boolean {
  const { MessageId, Timestamp, Subject = "", Token = "", SubscribeURL = "" } = fields;
  return (
    /^[\w-]{1,100}$/.test(MessageId) &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(Timestamp) &&
    [Subject, Token, SubscribeURL].every((value) => !/[\r\n]/.test(value))
  );
}

/** Compares the URL as text, because two URL parsers can disagree about the host of a crafted URL. */
function isCertificateUrl(url: string, origin: string): boolean {
  return url.startsWith(origin) && /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/.test(url.slice(origin.length));
}

/** The region comes from the topic: `sns.<any word>.amazonaws.com` would also match an S3 bucket of an attacker. */
function certificateOriginOf(topicArn: string): string {
  const region = topicArn.split(":")[3] ?? "";
  return `https://sns.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

function isSignedBy(publicKey: KeyObject, fields: Fields): boolean {
  const signature = Buffer.from(fields.Signature, "base64");
  // Base64 allows several spellings of one signature; only the canonical one is valid, so any changed message fails.
  if (signature.toString("base64") !== fields.Signature) return false;
  const key = { key: publicKey, padding: constants.RSA_PKCS1_PADDING };
  return verify("sha256", Buffer.from(stringToSign(fields)), key, signature);
}

function stringToSign(fields: Fields): string {
  return signedNames[fields.Type]
    .map((name) => (fields[name] === undefined ? "" : `${name}\n${fields[name]}\n`))
    .join("");
}

function messageFrom({ Type, MessageId, TopicArn, Message, Token = "" }: Fields): SnsMessage {
  return { type: Type, messageId: MessageId, topicArn: TopicArn, message: Message, token: Token };
}

function forged(reason: Forgery): SignatureCheck {
  return { kind: "forged", reason };
}
