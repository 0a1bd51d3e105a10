import { createHash, createSign, generateKeyPair, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { selfSignedCertificate } from "@postern/ses-simulator/certificate";

export type SnsFields = Record<string, string>;

export interface SnsSigner {
  key: KeyObject;
  /** PEM, as it is published. */
  certificate: string;
  /** The path of the certificate on the SNS host. */
  path: string;
}

/** A signing key with its certificate, for SNS or for an attacker that imitates it. */
export async function anSnsSigner(options: { bits?: number; validFrom?: Date } = {}): Promise<SnsSigner> {
  const { bits = 2048, validFrom = new Date(Date.now() - 86_400_000) } = options;
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: bits });
  return signerOf(privateKey, validFrom);
}

export function signerOf(key: KeyObject, validFrom: Date): SnsSigner {
  const certificate = selfSignedCertificate(key, "sns.amazonaws.com", validFrom);
  const digest = createHash("md5").update(certificate).digest("hex");
  return { key, certificate, path: `/SimpleNotificationService-${digest}.pem` };
}

/** The fields of a message as SNS documents them, unsigned. */
export function snsFields(type: string, topicArn: string, changes: SnsFields = {}): SnsFields {
  const token = randomBytes(64).toString("hex");
  const confirmation = {
    Token: token,
    SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=${token}`,
  };
  return {
    Type: type,
    MessageId: randomUUID(),
    TopicArn: topicArn,
    Message: `{"eventType":"Open"}`,
    Timestamp: new Date().toISOString(),
    ...(type !== "Notification" && confirmation),
    ...changes,
  };
}

/** Implements the SNS documentation independently of the code that checks signatures. */
export function signed(signer: SnsSigner, origin: string, fields: SnsFields, version = "2"): SnsFields {
  const names =
    fields.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const sign = createSign(version === "1" ? "RSA-SHA1" : "RSA-SHA256");
  for (const name of names) if (fields[name] !== undefined) sign.update(`${name}\n${fields[name]}\n`);
  return {
    ...fields,
    SignatureVersion: version,
    Signature: sign.sign(signer.key, "base64"),
    SigningCertURL: `${origin}${signer.path}`,
    ...(fields.Type === "Notification" && { UnsubscribeURL: `${origin}/?Action=Unsubscribe` }),
  };
}
