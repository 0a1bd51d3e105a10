import { randomBytes } from "node:crypto";
import { Secret as OtpSecret, TOTP } from "otpauth";
import { openBytes, sealBytes } from "../crypto/sealed-bytes.ts";
import type { Secret } from "../secret.ts";

/** Six digits, 30 seconds and SHA-1: what every authenticator app understands. */
const parameters = { issuer: "Postern", algorithm: "SHA1", digits: 6, period: 30 };
/** A code of the step before or after is accepted too, for a clock that is a little wrong and a person who types slowly. */
const toleratedSteps = 1;

export function newTotpSecret(): Buffer {
  return randomBytes(20);
}

/** What the user types or scans into an authenticator app. */
export function enrolmentOf(secret: Buffer, email: string): { secret: string; uri: string } {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The 30-second step that this code belongs to; undefined for a wrong code. `now` is in seconds, by the database's clock. */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now * 1000, window: toleratedSteps });
  return delta === null ? undefined : Math.floor(now / parameters.period) + delta;
}

function totpOf(secret: Buffer, label = "Postern"): TOTP {
  return new TOTP({ ...parameters, label, secret: new OtpSecret({ buffer: Uint8Array.from(secret).buffer }) });
}

/** Bound to the user: copied to another user, the bytes cannot be opened. */
export function sealTotpSecret(key: Secret, userId: string, secret: Buffer): Buffer {
  return sealBytes(key, { purpose: "totp", owner: userId }, secret);
}

export function openTotpSecret(key: Secret, userId: string, sealed: Buffer): Buffer {
  return openBytes({ current: key, second: undefined }, { purpose: "totp", owner: userId }, sealed);
}
