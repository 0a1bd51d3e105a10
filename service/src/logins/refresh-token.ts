import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { tokenSubkey } from "../crypto/token-subkey.ts";
import type { SecretPair } from "../secret.ts";
import { uuidBytes, uuidText } from "./uuid-bytes.ts";

/**
 * The cell code (2 characters), then base64url of login id (16 bytes), nonce (16) and an HMAC of both (32). The HMAC
 * proves that this installation issued the token, so an authentic token that is no longer stored is a reused one.
 */
export interface RefreshToken {
  loginId: string;
  nonce: Buffer;
}

export interface RefreshTokenMaker {
  newNonce(): Buffer;
  write(token: RefreshToken): string;
  /** Undefined for a token that this installation did not issue. */
  read(text: string): RefreshToken | undefined;
}

export function createRefreshTokenMaker(cellCode: string, secrets: SecretPair): RefreshTokenMaker {
  const generations = secrets.second === undefined ? [secrets.current] : [secrets.current, secrets.second];
  const keys = generations.map((secret) => tokenSubkey(secret, "refresh-token"));
  const [current] = keys;
  if (current === undefined) throw new Error("a current secret is required");

  return {
    newNonce: () => randomBytes(16),
    write({ loginId, nonce }) {
      const body = Buffer.concat([uuidBytes(loginId), nonce]);
      return cellCode + Buffer.concat([body, hmacOf(current, body)]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text.slice(2), "base64url");
      // Node ignores invalid base64url characters, so only the canonical encoding is accepted.
      if (bytes.length !== 64 || cellCode + bytes.toString("base64url") !== text) return undefined;
      const body = bytes.subarray(0, 32);
      const isAuthentic = keys.some((key) => timingSafeEqual(hmacOf(key, body), bytes.subarray(32)));
      return isAuthentic ? { loginId: uuidText(body.subarray(0, 16)), nonce: body.subarray(16) } : undefined;
    },
  };
}

export function authenticTokens(maker: RefreshTokenMaker, texts: string[]): RefreshToken[] {
  return texts.map((text) => maker.read(text)).filter((token) => token !== undefined);
}

function hmacOf(key: KeyObject, body: Buffer): Buffer {
  return createHmac("sha256", key).update(body).digest();
}
