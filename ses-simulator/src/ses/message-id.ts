import { randomUUID } from "node:crypto";

/** The known region codes. Other regions use the code of us-east-1, because clients must treat the id as opaque. */
const regionCodes: Record<string, string> = { "us-east-1": "0100", "us-west-2": "0101", "eu-west-1": "0102" };

/** Region code, 12 hex digits of epoch milliseconds, a UUID and six digits: 60 characters, the format of SES. */
export function newMessageId(region: string, now: number): string {
  return `${regionCodes[region] ?? "0100"}${now.toString(16).padStart(12, "0")}-${randomUUID()}-000000`;
}

/** The Message-ID header of the delivered mail. */
export function messageIdHeader(region: string, messageId: string): string {
  return `<${messageId}@${region === "us-east-1" ? "email" : region}.amazonses.com>`;
}
