import { randomBytes } from "node:crypto";
import { openBytes, sealBytes } from "../crypto/sealed-bytes.ts";
import type { SecretPair } from "../secret.ts";

/** The text before the secret, as Standard Webhooks defines it. */
const prefix = "whsec_";
const secretBytes = 32;

export interface EndpointSecret {
  bytes: Buffer;
  /** What the customer keeps: `whsec_` and the bytes in base64. */
  text: string;
}

export function makeEndpointSecret(): EndpointSecret {
  const bytes = randomBytes(secretBytes);
  return { bytes, text: `${prefix}${bytes.toString("base64")}` };
}

export function sealEndpointSecret({ current }: SecretPair, endpointId: string, secret: Buffer): Buffer {
  return sealBytes(current, bindingOf(endpointId), secret);
}

export function openEndpointSecret(contentKeys: SecretPair, endpointId: string, sealed: Buffer): Buffer {
  return openBytes(contentKeys, bindingOf(endpointId), sealed);
}

function bindingOf(endpointId: string) {
  return { purpose: "webhook secret", owner: endpointId };
}
