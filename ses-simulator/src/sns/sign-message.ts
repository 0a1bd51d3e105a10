import { type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

const signInPool = promisify(sign);

export interface SignedFields {
  Type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  MessageId: string;
  TopicArn: string;
  Message: string;
  Timestamp: string;
  Subject?: string;
  Token?: string;
  SubscribeURL?: string;
}

const notificationNames = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const;
const confirmationNames = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const;

/** `Name\nValue\n` in byte order of the names. An absent Subject is omitted. */
export function stringToSign(fields: SignedFields): string {
  const names = fields.Type === "Notification" ? notificationNames : confirmationNames;
  return names.map((name) => (fields[name] === undefined ? "" : `${name}\n${fields[name]}\n`)).join("");
}

/** An RSA signature takes almost a millisecond, so it runs in the thread pool. */
export async function signMessage(fields: SignedFields, version: string, key: KeyObject): Promise<string> {
  const digest = version === "2" ? "sha256" : "sha1";
  return (await signInPool(digest, Buffer.from(stringToSign(fields)), key)).toString("base64");
}
