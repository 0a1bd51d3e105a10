import type { FastifyRequest } from "fastify";
import { identifyApiKey, type KeyVerdict } from "../../api-keys/identify-api-key.ts";
import type { AccountDatabase, Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { type TokenAuthority, verifyAccessToken } from "../../logins/access-token.ts";
import { suspended } from "../../logins/log-in.ts";
import { findOpenLogin } from "../../logins/login-store.ts";
import type { SecretPair } from "../../secret.ts";

export interface Caller {
  accountId: string;
  /** All that a route gets to see of the database. */
  db: AccountDatabase;
  mode: "live" | "test";
  credential: { kind: "api-key"; keyId: string } | { kind: "jwt"; loginId: string };
}

/** Which credentials a route takes (interface, section 5). */
export type Accepted = "api-key-or-jwt" | "jwt";

export interface Authenticator {
  db: Database;
  peppers: SecretPair;
  authority: TokenAuthority;
}

/** Finds the account behind a request. Where both are given, the key counts on send endpoints and the JWT elsewhere. */
export async function authenticate(
  authenticator: Authenticator,
  headers: FastifyRequest["headers"],
  accepted: Accepted,
): Promise<Caller> {
  const key = headers["x-api-key"];
  const bearer = bearerOf(headers.authorization);
  if (accepted === "api-key-or-jwt" && key !== undefined) return callerByKey(authenticator, String(key));
  if (bearer !== undefined) return callerByToken(authenticator, bearer, accepted);
  throw missingCredential(accepted, key, headers.authorization);
}

async function callerByKey({ db, peppers }: Authenticator, key: string): Promise<Caller> {
  if (looksLikeToken(key)) throw refused(tokenAsKey);
  const verdict = await identifyApiKey(db, peppers, key);
  if (verdict.kind !== "valid") throw refusedKey(verdict.kind);
  const { id, accountId, type } = verdict.key;
  return { accountId, db: db.forAccount(accountId), mode: type, credential: { kind: "api-key", keyId: id } };
}

async function callerByToken({ db, authority }: Authenticator, token: string, accepted: Accepted): Promise<Caller> {
  if (looksLikeKey(token)) throw refused(keyAsBearer(accepted));
  const claims = await verifyAccessToken(authority, token);
  if (claims === undefined) throw refused("The access token is not valid. Log in at POST /api/v1/auth/login.");
  const login = await findOpenLogin(db, {
    loginId: claims.sid,
    notBefore: claims.nbf ?? 0,
    expiresAt: claims.exp,
  });
  if (login === undefined || login.userId !== claims.sub || login.accountId !== claims.tenant_id) {
    throw refused("The access token has expired or its login has ended. Refresh it or log in again.");
  }
  if (login.isSuspended) throw suspended();
  const { accountId } = login;
  return {
    accountId,
    db: db.forAccount(accountId),
    mode: "live",
    credential: { kind: "jwt", loginId: claims.sid },
  };
}

function refusedKey(kind: Exclude<KeyVerdict["kind"], "valid">): AppError {
  switch (kind) {
    case "typo":
      return refused("The API key is incomplete or has a typo. Copy it again; it looks like postern_live_… .");
    case "unknown":
      return refused("The API key is not known here. Check which installation it belongs to.");
    case "revoked":
      return refused("The API key was revoked. Create a new one at POST /api/v1/api-keys.");
    case "expired":
      return refused("The API key has expired. Create a new one at POST /api/v1/api-keys.");
    case "suspended":
      return suspended();
  }
}

function missingCredential(
  accepted: Accepted,
  key: string | string[] | undefined,
  authorization: string | undefined,
): AppError {
  if (authorization !== undefined)
    return refused("The Authorization header must be: Bearer, a space, and the access token.");
  if (accepted === "api-key-or-jwt") return refused("Send an API key in X-API-Key or a JWT as Authorization: Bearer.");
  if (looksLikeToken(String(key))) return refused(tokenAsKey);
  const wrongKind = key === undefined ? "" : "API keys are for sending and GET /api/v1/account only. ";
  return refused(`${wrongKind}This path needs a JWT as Authorization: Bearer; POST /api/v1/auth/login issues one.`);
}

const tokenAsKey = "X-API-Key holds a JWT. Send it as Authorization: Bearer instead.";

function keyAsBearer(accepted: Accepted): string {
  return accepted === "jwt"
    ? "An API key was sent as Bearer, but this path needs a JWT; POST /api/v1/auth/login issues one."
    : "An API key was sent as Bearer. Send it in the header X-API-Key instead.";
}

function refused(message: string): AppError {
  return new AppError("UNAUTHORIZED", message);
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
}

function looksLikeKey(text: string): boolean {
  return text.startsWith("postern_");
}

function looksLikeToken(text: string): boolean {
  return /^eyJ[^.]*\.[^.]*\.[^.]*$/.test(text);
}
