import { WebhookVerificationError } from "./webhook-verification-error.ts";

/** One secret, or several while receivers accept an old and a new one. Undefined and empty entries of a list are skipped. */
export type WebhookSecret = string | undefined | readonly (string | undefined)[];

const prefix = "whsec_";
/** Standard Webhooks allows keys of 24 to 64 bytes. */
const [minBytes, maxBytes] = [24, 64];

/** The bytes of each secret. */
export function readSecrets(given: WebhookSecret): Uint8Array<ArrayBuffer>[] {
  const secrets = [given].flat().flatMap((secret) => secret?.trim() || []);
  if (secrets.length === 0) throw new WebhookVerificationError("bad_secret", "Pass the secret of the endpoint.");
  return secrets.map(secretBytes);
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  if (bytes === undefined || bytes.length < minBytes || bytes.length > maxBytes) {
    throw new WebhookVerificationError(
      "bad_secret",
      `The secret is not complete. Pass it as Postern showed it: ${prefix} followed by base64.`,
    );
  }
  return bytes;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
