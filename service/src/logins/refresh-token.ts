import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { derivedKey } from "../crypto/derived-key.ts";
import type { SecretPair } from "../secret.ts";

/**
 * Two characters of cell code, then base64url of login id (16 bytes), nonce (16) and a keyed hash of both (32). Because
 * the hash proves that we made it, a genuine token that is no longer stored is known to be an old one used again.
 */
export interface RefreshToken {
  loginId: string;
  nonce: Buffer;
}

export interface RefreshTokenMaker {
  make(loginId: string): { text: string; nonce: Buffer };
  /** Undefined for anything we did not make. */
  read(text: string): RefreshToken | undefined;
}

export function createRefreshTokenMaker(cellCode: string, secrets: SecretPair): RefreshTokenMaker {
  const generations = secrets.second === undefined ? [secrets.current] : [secrets.current, secrets.second];
  const keys = generations.map((secret) => derivedKey(secret, "refresh-token"));
  const [current] = keys;
  if (current === undefined) throw new Error("there is always a current secret");

  return {
    make(loginId) {
      const nonce = randomBytes(16);
      const body = Buffer.concat([uuidBytes(loginId), nonce]);
      return { text: cellCode + Buffer.concat([body, seal(current, body)]).toString("base64url"), nonce };
    },
    read(text) {
      const bytes = Buffer.from(text.slice(2), "base64url");
      // base64url in Node skips what it does not know, so only the canonical spelling is accepted.
      if (bytes.length !== 64 || cellCode + bytes.toString("base64url") !== text) return undefined;
      const body = bytes.subarray(0, 32);
      const isOurs = keys.some((key) => timingSafeEqual(seal(key, body), bytes.subarray(32)));
      return isOurs ? { loginId: uuidText(body.subarray(0, 16)), nonce: body.subarray(16) } : undefined;
    },
  };
}

function seal(key: KeyObject, body: Buffer): Buffer {
  return createHmac("sha256", key).update(body).digest();
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

function uuidText(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
