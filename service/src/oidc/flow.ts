import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { tokenSubkey } from "../crypto/token-subkey.ts";
import { uuidBytes, uuidText } from "../logins/uuid-bytes.ts";
import type { SecretPair } from "../secret.ts";

export const flowSeconds = 600;
/** Another process may have started the log-in, and its clock may be ahead. */
const clockToleranceSeconds = 60;
/** A browser has one, unless another site has planted more. */
const maxCookieLogins = 4;
const lengths = Array.from({ length: maxCookieLogins + 1 }, (_, count) => 70 + 16 * count);

/** What one log-in sends to the issuer. `codeVerifier` is the secret of PKCE. */
export interface Flow {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** With the sessions that the browser had when it started the log-in, which replaces them. */
export interface ResumedFlow extends Flow {
  cookieLogins: string[];
}

/**
 * The cookie of a log-in that is on its way: base64url of the start (6 bytes, in seconds), 32 random bytes, the ids of the browser's
 * sessions (16 each) and an HMAC of all (32). State, nonce and code verifier are derived from these bytes with a key that only the API has.
 * So the server stores nothing, and the state in an address reveals neither the cookie nor the other two.
 *
 * The sessions are in it because the browser does not send their cookie, which is SameSite=Strict, when it comes back from the issuer.
 */
export interface FlowMaker {
  start(cookieLogins: string[]): { cookie: string; flow: Flow };
  /** Undefined for a cookie that this installation did not make, or made too long ago. */
  resume(cookie: string): ResumedFlow | undefined;
}

export function createFlowMaker(secrets: SecretPair, nowSeconds = () => Math.floor(Date.now() / 1000)): FlowMaker {
  const generations = secrets.second === undefined ? [secrets.current] : [secrets.current, secrets.second];
  const keys = generations.map((secret) => tokenSubkey(secret, "oidc-flow"));
  const [current] = keys;
  if (current === undefined) throw new Error("a current secret is required");

  return {
    start(cookieLogins) {
      const start = Buffer.alloc(6);
      start.writeUIntBE(nowSeconds(), 0, 6);
      const body = Buffer.concat([start, randomBytes(32), ...cookieLogins.slice(0, maxCookieLogins).map(uuidBytes)]);
      const cookie = Buffer.concat([body, derive(current, "cookie", body)]).toString("base64url");
      return { cookie, flow: flowOf(current, body) };
    },
    resume(cookie) {
      const bytes = Buffer.from(cookie, "base64url");
      if (!lengths.includes(bytes.length) || bytes.toString("base64url") !== cookie) return undefined;
      const [body, hmac] = [bytes.subarray(0, -32), bytes.subarray(-32)];
      const age = nowSeconds() - body.readUIntBE(0, 6);
      if (age < -clockToleranceSeconds || age > flowSeconds) return undefined;
      const key = keys.find((each) => timingSafeEqual(derive(each, "cookie", body), hmac));
      return key === undefined ? undefined : { ...flowOf(key, body), cookieLogins: idsIn(body.subarray(38)) };
    },
  };
}

function flowOf(key: KeyObject, body: Buffer): Flow {
  const text = (purpose: string) => derive(key, purpose, body).toString("base64url");
  return { state: text("state"), nonce: text("nonce"), codeVerifier: text("code-verifier") };
}

function idsIn(bytes: Buffer): string[] {
  return Array.from({ length: bytes.length / 16 }, (_, index) => uuidText(bytes.subarray(16 * index, 16 * index + 16)));
}

function derive(key: KeyObject, purpose: string, body: Buffer): Buffer {
  return createHmac("sha256", key).update(`${purpose}\0`).update(body).digest();
}
