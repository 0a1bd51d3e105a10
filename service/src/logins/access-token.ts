import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from "node:crypto";
import { exportJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Secret, SecretPair } from "../secret.ts";

export const accessTokenSeconds = 15 * 60;

const audience = "postern";
const maxTokenLength = 8192;
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

const claimsSchema = z.object({
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
 */
export async function verifyAccessToken(authority: TokenAuthority, token: string): Promise<AccessClaims | undefined> {
  if (token.length > maxTokenLength || !isCanonical(token)) return undefined;
  const payload = await verifiedPayload(authority, token);
  const claims = claimsSchema.safeParse(payload);
  return claims.success && claims.data.cell === authority.cellCode ? claims.data : undefined;
}

async function verifiedPayload(authority: TokenAuthority, token: string): Promise<JWTPayload | undefined> {
  try {
    const keyOf = ({ kid }: { kid?: string }) => {
      const key = kid === undefined ? undefined : authority.accepted.get(kid);
      if (key === undefined) throw new Error("unknown kid");
      return key;
    };
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: ["EdDSA"],
      typ: "at+jwt",
      issuer: authority.issuer,
      audience,
      clockTolerance: 60,
    });
    return payload;
  } catch {
    // The reason stays internal: it would only help to forge a token.
    return undefined;
  }
}

/** The last base64url character can have unused bits; without this check one token would have several spellings. */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
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
