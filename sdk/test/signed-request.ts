import { randomBytes, randomUUID } from "node:crypto";
import { signNotification } from "../../service/src/webhooks/signature.ts";

/** A webhook as it arrives at a receiver. */
export interface SignedRequest {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

export function aSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

interface Signing {
  at?: Date;
  id?: string;
}

/** As the worker sends it. */
export function aSignedRequest(
  secrets: string | string[],
  body: string,
  { at = new Date(), id = randomUUID() }: Signing = {},
): SignedRequest {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signature = signNotification([secrets].flat().map(bytesOf), id, timestamp, body);
  return { id, timestamp: String(timestamp), signature, body };
}

export function headersOf({ id, timestamp, signature }: SignedRequest): Record<string, string> {
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice("whsec_".length), "base64");
}
