import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Secret } from "../secret.ts";

/**
 * A subkey of TOKEN_SIGNING_KEY for one purpose (HKDF-SHA256), so that the operator keeps three secrets and not five.
 * `sealed-bytes.ts` derives the subkeys of CONTENT_KEY with HMAC. Neither derivation may change: issued refresh tokens
 * depend on this one, stored contents on the other.
 */
export function tokenSubkey(secret: Secret, purpose: "refresh-token" | "login-throttle" | "oidc-flow"): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret.key, "", `postern ${purpose}`, 32)));
}
