import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from "node:crypto";
import { exportJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Secret, SecretPair } from "../secret.ts";

export const accessTokenSeconds = 15 * 60;

const audience = "postern";
const maxTokenLength = 8192;
/** Ed25519 in PKCS #8 is this fixed head followed by the 32 bytes of the seed (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

export interface TokenAuthority {
  issuer: string;
  cellCode: string;
  signing: { kid: string; privateKey: KeyObject };
  /** By kid; two entries while a key is being rotated. The kid of a token is looked up here and used for nothing else. */
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

/** `issuedAt` is the database's clock, in seconds: the same clock later decides whether the token has expired. */
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
 * Signature and form only; the caller then asks the database for the login. The tolerance covers the clock of this
 * process: whether `exp` and `nbf` hold is decided exactly, by the database's clock, in that same question.
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
    // Why a forged token failed is of no use to its bearer.
    return undefined;
  }
}

/** base64url leaves spare bits in a last character; without this several texts would be the same token. */
function isCanonical(token: string): boolean {
  return token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** The public keys, for others who want to check our tokens. */
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
