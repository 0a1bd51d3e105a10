import { constants, type KeyObject, verify } from "node:crypto";
import type { CertificateCache } from "./certificate-cache.ts";
import { BrokenEvent, type Json, parseObject } from "./event-json.ts";
import { maxBodyCharacters } from "./read-event.ts";

export interface SignatureRules {
  /** Exactly these topics are believed. */
  topicArns: readonly string[];
  /** Where the certificate is, instead of at Amazon; for the simulator alone. */
  certificateOrigin: string | undefined;
  certificates: CertificateCache;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** Only what the signature covers. */
export interface SnsMessage {
  type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  messageId: string;
  topicArn: string;
  message: string;
  /** Of a confirmation. */
  token: string;
}

export type SignatureCheck =
  | { kind: "genuine"; message: SnsMessage }
  | { kind: "forged"; reason: Forgery }
  /** Problem of our own, or of the way to the certificate: it may be genuine. */
  | { kind: "cannot-check"; reason: string };

export type Forgery =
  | "not a message of SNS"
  | "a topic that is not ours"
  | "a signature version other than 2"
  | "a certificate from elsewhere"
  | "not from this hour"
  | "a certificate that is not valid"
  | "a signature that does not fit";

/** SNS retries for an hour at most. */
const maxAgeMs = 3_600_000;

const signedNames = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

/**
 * Decides whether SNS wrote this text, for one of our topics. What needs no certificate is looked at first, so a stranger
 * can make us fetch nothing but certificates of the right host. Headers and links of the message are never used.
 */
export async function checkSignature(rules: SignatureRules, text: string): Promise<SignatureCheck> {
  const given = fieldsIn(text);
  if (given === undefined) return forged("not a message of SNS");
  if (!rules.topicArns.includes(given.TopicArn)) return forged("a topic that is not ours");
  // Version 1 is SHA-1. The topic is ours, so we know that it signs with version 2.
  if (given.SignatureVersion !== "2") return forged("a signature version other than 2");
  if (!isCertificateUrl(given.SigningCertURL, rules.certificateOrigin ?? certificateOriginOf(given.TopicArn))) {
    return forged("a certificate from elsewhere");
  }
  const now = rules.now();
  if (!(Math.abs(now - Date.parse(given.Timestamp)) <= maxAgeMs)) return forged("not from this hour");
  const found = await rules.certificates.find(given.SigningCertURL);
  if (found.kind === "unavailable") return { kind: "cannot-check", reason: found.reason };
  if (!(found.validFrom <= now && now <= found.validTo)) return forged("a certificate that is not valid");
  return isSignedBy(found.publicKey, given)
    ? { kind: "genuine", message: messageFrom(given) }
    : forged("a signature that does not fit");
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
  if (text.length > maxBodyCharacters) return undefined;
  const content = findObject(text);
  const type = typeOf(content?.Type);
  if (content === undefined || type === undefined) return undefined;
  const isComplete = [...requiredNames, ...signedNames[type]].every(
    (name) => typeof content[name] === "string" || (name === "Subject" && content[name] === undefined),
  );
  // Every member that is used has just been seen to be text.
  const fields = content as Fields;
  return isComplete && isUnambiguous(fields) ? fields : undefined;
}

function findObject(text: string): Json | undefined {
  try {
    return parseObject(text);
  } catch (error) {
    if (error instanceof BrokenEvent) return undefined;
    throw error;
  }
}

function typeOf(type: unknown): SnsMessage["type"] | undefined {
  const isKnown = type === "Notification" || type === "SubscriptionConfirmation" || type === "UnsubscribeConfirmation";
  return isKnown ? type : undefined;
}

/**
 * The signed text separates names and values by line breaks alone. With a line break in any value but the first, another
 * message could have the same text: its end moved from one field into the next.
 */
function isUnambiguous(fields: Fields): boolean {
  const { MessageId, Timestamp, Subject = "", Token = "", SubscribeURL = "" } = fields;
  return (
    /^[\w-]{1,100}$/.test(MessageId) &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(Timestamp) &&
    [Subject, Token, SubscribeURL].every((value) => !/[\r\n]/.test(value))
  );
}

/** Compared as text: what no parser takes apart, no two parsers understand differently. */
function isCertificateUrl(url: string, origin: string): boolean {
  return url.startsWith(origin) && /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/.test(url.slice(origin.length));
}

/** The region is the topic's own: `sns.<any word>.amazonaws.com` would let in anyone's bucket. */
function certificateOriginOf(topicArn: string): string {
  const region = topicArn.split(":")[3] ?? "";
  return `https://sns.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

function isSignedBy(publicKey: KeyObject, fields: Fields): boolean {
  const signature = Buffer.from(fields.Signature, "base64");
  // One signature has one spelling, so that no changed message passes.
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
