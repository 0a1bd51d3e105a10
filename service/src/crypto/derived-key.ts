import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Secret } from "../secret.ts";

/** A key for one purpose from the token secret, so that the operator keeps three secrets and not ten. */
export function derivedKey(secret: Secret, purpose: "refresh-token" | "login-throttle"): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret.key, "", `postern ${purpose}`, 32)));
}
