import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, verify } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { z } from "zod";
import type { Secret, SecretPair } from "../secret.ts";

export const accessTokenSeconds = 15 * 60;

const audience = "postern";
const maxTokenLength = 8192;
const clockToleranceSeconds = 60;
/** An Ed25519 key in PKCS #8 is this fixed header followed by the 32-byte seed (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

export interface TokenAuthority {
  issuer: string;
  cellCode: string;
  signing: { kid: string; privateKey: KeyObject };
  /** Keyed by kid; two entries during a rotation. The kid of a token is used only to select an entry. */
  accepted: Map<string, KeyObject>;
}

export function createTokenAuthority(issuer: string, cellCode: string, secrets: SecretPair): TokenAuthority {
  const generations = secrets.second === undefined ? [secrets.current] : [secrets.current, secrets.second];
  return {
    issuer,
    cellCode,
    signing: { kid: secrets.current.id, privateKey: privateKeyOf(secrets.current) },
    accepted: new Map(generations.map((secret) => [secret.id, createPublicKey(privateKeyOf(secret))])),
  };
}

export interface Session {
  userId: string;
  accountId: string;
  loginId: string;
}

/** `issuedAt` is in seconds by the database's clock, the clock that also decides expiry later. */
export async function issueAccessToken(authority: TokenAuthority, session: Session, issuedAt: number): Promise<string> {
  return new SignJWT({ sid: session.loginId, tenant_id: session.accountId, cell: authority.cellCode })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: authority.signing.kid })
    .setIssuer(authority.issuer)
    .setAudience(audience)
    .setSubject(session.userId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + accessTokenSeconds)
    .setJti(randomUUID())
    .sign(authority.signing.privateKey);
}

/** `crit` would name extensions that the verifier must understand; Postern knows none. */
const headerSchema = z.object({
  alg: z.literal("EdDSA"),
  typ: z.literal("at+jwt"),
  kid: z.string(),
  crit: z.undefined().optional(),
});

const claimsSchema = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  sub: z.uuid(),
  sid: z.uuid(),
  tenant_id: z.uuid(),
  cell: z.string(),
  jti: z.string(),
  exp: z.int().positive(),
  iat: z.int().nonnegative(),
  nbf: z.int().nonnegative().optional(),
});

export type AccessClaims = z.infer<typeof claimsSchema>;

/**
 * Checks signature and format only; the caller then looks up the login. The tolerance covers an inaccurate clock of this
 * process. That lookup checks `exp` and `nbf` exactly, by the database's clock.
 *
 * It runs on the main thread, in a fraction of a millisecond. On Node's other threads it would wait behind the password hashes of log-ins.
 */
export function verifyAccessToken(authority: TokenAuthority, token: string): AccessClaims | undefined {
  if (token.length > maxTokenLength) return undefined;
  const parts = token.split(".");
  // First, because decoding the thousands of parts of a long text would take milliseconds.
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  const claims = claimsSchema.safeParse(signedPayload(authority, parts));
  // The reason stays internal: it would only help to forge a token.
  return claims.success && areForThisCell(authority, claims.data) ? claims.data : undefined;
}

/** Undefined unless a key of this installation signed exactly this text. */
function signedPayload({ accepted }: TokenAuthority, parts: string[]): unknown {
  const [head = "", body = "", signature = ""] = parts;
  const header = headerSchema.safeParse(parseJson(head));
  const key = header.success ? accepted.get(header.data.kid) : undefined;
  if (key === undefined) return undefined;
  const isSigned = verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isSigned ? parseJson(body) : undefined;
}

function parseJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}

function areForThisCell({ issuer, cellCode }: TokenAuthority, { iss, aud, cell, exp, nbf = 0 }: AccessClaims): boolean {
  const now = Date.now() / 1000;
  const isInTime = now < exp + clockToleranceSeconds && nbf - clockToleranceSeconds <= now;
  return iss === issuer && [aud].flat().includes(audience) && cell === cellCode && isInTime;
}

/** The last base64url character can have unused bits; without this check one token would have several spellings. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

/** The public keys as a JWK set, so that other services can verify access tokens. */
export async function publicKeySet(authority: TokenAuthority) {
  const entries = [...authority.accepted].map(async ([kid, key]) => {
    const { x = "" } = await exportJWK(key);
    return { kty: "OKP" as const, crv: "Ed25519" as const, x, kid, use: "sig" as const, alg: "EdDSA" as const };
  });
  return { keys: await Promise.all(entries) };
}

function privateKeyOf(secret: Secret): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, secret.key.export()]), format: "der", type: "pkcs8" });
}
