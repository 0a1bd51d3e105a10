import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Sender } from "../../accept/accept-send.ts";
import type { Role } from "../../accounts/role.ts";
import { apiKeyHmac } from "../../api-keys/api-key.ts";
import { areKeysUsable } from "../../api-keys/api-key-store.ts";
import { identifyApiKey } from "../../api-keys/identify-api-key.ts";
import { createBatch } from "../../db/batch.ts";
import type { AccountDatabase, Database } from "../../db/database.ts";
import { type TokenAuthority, verifyAccessToken } from "../../logins/access-token.ts";
import { suspended } from "../../logins/log-in.ts";
import type { SecretPair } from "../../secret.ts";
import { answerInTime } from "./answer-in-time.ts";
import type { CredentialLookup } from "./credential-lookup.ts";
import { requireRole } from "./require-role.ts";
import { routeAccess } from "./route-access.ts";
import {
  keyAsBearer,
  looksLikeKey,
  looksLikeToken,
  missingCredential,
  refused,
  refusedKey,
  tokenAsKey,
} from "./unauthorized.ts";

/**
 * Who is calling, and is the credential valid?
 *
 * 1. Choose the credential. Where a route accepts both, X-API-Key wins over Authorization: Bearer; elsewhere only the JWT counts.
 * 2. An API key: complete (checksum), known (its HMAC is stored), neither revoked nor expired (`isUsable` in api-key-store.ts), and
 *    its account is not suspended. Account and mode come from the key.
 * 3. A JWT: signature and claims are valid, its login is still open and belongs to the same user and account, and the account is
 *    not suspended. The user is a member of the account: the login ends with the membership. The role comes from the database.
 * 4. Anything else is 401 with the reason (unauthorized.ts). A user without the role that route-access.ts names is 403 (require-role.ts).
 *
 * Whether a credential is valid is never cached, so a revocation takes effect with the next request. For POST /send this check must
 * not add a round trip (`createSenderIdentifier`):
 *
 * 5. Whose key it is never changes, so this process remembers it after the first request. For a remembered key the accept statement
 *    checks key and account in the commit that stores the send (accept-statement.ts, step `allowed`).
 * 6. A key that is not remembered, or that comes with a large body, is checked before the body is read, as in item 2, so that
 *    an invalid key cannot make this process read a large body. The accept statement checks key and account again.
 * 7. A request that accept/rate-refusals.ts refuses (429) reaches no statement. `requireValidCredential` checks key and account; requests
 *    that arrive during one such query share the next.
 * 8. When the accept statement refuses a remembered key, `requireValidCredential` throws 401 with the reason. If the key is valid after all,
 *    another process has just re-hashed it with a new pepper (`repepperApiKey`), and the route tries once more.
 */
export interface Caller {
  accountId: string;
  /** The only database that a route gets to see. */
  db: AccountDatabase;
  mode: "live" | "test";
  credential: { kind: "api-key"; keyId: string } | UserCredential;
}

export interface UserCredential {
  kind: "jwt";
  loginId: string;
  userId: string;
  /** Read with the check that the login is open, so that a demotion takes effect with the next request. */
  role: Role;
  needsTotp: boolean;
}

/** Which credentials a route accepts (interface, section 5). */
export type Accepted = "api-key-or-jwt" | "jwt";

export interface Authenticator {
  db: Database;
  lookup: CredentialLookup;
  peppers: SecretPair;
  authority: TokenAuthority;
}

type Headers = FastifyRequest["headers"];

export async function authenticate(
  authenticator: Authenticator,
  headers: Headers,
  accepted: Accepted,
): Promise<Caller> {
  const key = headers["x-api-key"];
  const bearer = bearerOf(headers.authorization);
  if (accepted === "api-key-or-jwt" && key !== undefined) return callerByKey(authenticator, String(key));
  if (bearer !== undefined) return callerByToken(authenticator, bearer, accepted);
  throw missingCredential(accepted, key, headers.authorization);
}

async function callerByKey({ db, lookup, peppers }: Authenticator, key: string): Promise<Caller> {
  if (looksLikeToken(key)) throw refused(tokenAsKey);
  const verdict = await identifyApiKey(db, peppers, key, lookup.findKey);
  if (verdict.kind !== "valid") throw refusedKey(verdict.kind);
  const { id, accountId, type } = verdict.key;
  return { accountId, db: db.forAccount(accountId), mode: type, credential: { kind: "api-key", keyId: id } };
}

async function callerByToken(
  { db, lookup, authority }: Authenticator,
  token: string,
  accepted: Accepted,
): Promise<Caller> {
  if (looksLikeKey(token)) throw refused(keyAsBearer(accepted));
  const claims = verifyAccessToken(authority, token);
  if (claims === undefined) throw refused("The access token is not valid. Log in at POST /api/v1/auth/login.");
  const login = await lookup.findLogin({ loginId: claims.sid, notBefore: claims.nbf ?? 0, expiresAt: claims.exp });
  if (login === undefined || login.userId !== claims.sub || login.accountId !== claims.tenant_id) {
    throw refused("The access token has expired or its login has ended. Refresh it or log in again.");
  }
  if (login.isSuspended) throw suspended();
  const { accountId } = login;
  return {
    accountId,
    db: db.forAccount(accountId),
    mode: "live",
    credential: {
      kind: "jwt",
      loginId: claims.sid,
      userId: login.userId,
      role: login.role,
      needsTotp: login.needsTotp,
    },
  };
}

const maxRememberedKeys = 50_000;

/** Items 5 to 8 of the list above. */
export function createSenderIdentifier(authenticator: Authenticator) {
  const { db, peppers } = authenticator;
  const remembered = new Map<string, Sender>();
  const isUsableNow = createBatch({
    run: (hmacs: Buffer[]) => areKeysUsable(db, hmacs),
    maxItems: 1000,
    maxBytes: 1024 * 1024,
    sizeOf: (hmac) => hmac.length,
  });

  return {
    /** With `mayTrustMemory` the sender may come from memory; then its key is still unchecked. */
    async identify(headers: Headers, { mayTrustMemory }: { mayTrustMemory: boolean }): Promise<Sender> {
      const key = headers["x-api-key"];
      // Remembered by its hash, so that no key stays in memory. Its HMAC takes eight times as long and is remembered as well.
      const memoryKey = typeof key === "string" ? hash("sha256", key, "base64url") : "";
      const known = remembered.get(memoryKey);
      if (known !== undefined && mayTrustMemory) return known;
      const caller = await answerInTime(authenticate(authenticator, headers, "api-key-or-jwt"));
      requireRole(caller.credential, routeAccess["POST /api/v1/send"]);
      const apiKeyId = caller.credential.kind === "api-key" ? caller.credential.keyId : undefined;
      const sender = { accountId: caller.accountId, mode: caller.mode, apiKeyId };
      if (typeof key === "string" && apiKeyId !== undefined) {
        if (remembered.size >= maxRememberedKeys) remembered.clear();
        remembered.set(memoryKey, { ...sender, uncheckedKeyHmac: apiKeyHmac(peppers.current.key, key) });
      }
      return { ...sender, uncheckedKeyHmac: undefined };
    },

    /** Throws 401 with the reason unless the credential is valid now. */
    async requireValidCredential(headers: Headers, { uncheckedKeyHmac }: Sender): Promise<void> {
      if (uncheckedKeyHmac !== undefined && (await answerInTime(isUsableNow(uncheckedKeyHmac)))) return;
      await answerInTime(authenticate(authenticator, headers, "api-key-or-jwt"));
    },
  };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
}
