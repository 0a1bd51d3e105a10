import { hash, randomBytes } from "node:crypto";

const codesPerUser = 10;

/** For a user who has lost the authenticator app. Each works once. 80 random bits in four groups. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codesPerUser }, () => (randomBytes(10).toString("hex").match(/.{5}/g) ?? []).join("-"));
}

/** Case, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): Buffer {
  return hash("sha256", code.toLowerCase().replaceAll(/[\s-]/g, ""), "buffer");
}
