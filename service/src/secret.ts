import { createSecretKey, type KeyObject } from "node:crypto";
import { z } from "zod";

/** A KeyObject hides the bytes when it is printed, and hashing with it is five times faster than with a Buffer. */
export interface Secret {
  id: string;
  key: KeyObject;
}

/** New values use `current`. `second` is accepted too: the previous secret, or the next one during its roll-out. */
export interface SecretPair {
  current: Secret;
  second: Secret | undefined;
}

export const secret = z.string().transform((value, context): Secret => {
  const [, id, text] = /^([a-z0-9-]{1,32}):([A-Za-z0-9_-]{43})$/.exec(value) ?? [];
  const bytes = Buffer.from(text ?? "", "base64url");
  if (id === undefined || bytes.length !== 32 || new Set(bytes).size < 8) {
    context.addIssue("must be <id>:<32 random bytes as base64url>; `postern admin generate-secrets` prints one");
    return z.NEVER;
  }
  return { id, key: createSecretKey(bytes) };
});
