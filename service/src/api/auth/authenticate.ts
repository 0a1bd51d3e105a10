import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Sender } from "../../accept/accept-send.ts";
import { answerInTime } from "../../accept/answer-in-time.ts";
import type { Role } from "../../accounts/role.ts";
import { refusalOf } from "../../accounts/suspension.ts";
import { identifyApiKey } from "../../api-keys/identify-api-key.ts";
import type { KeyUses } from "../../api-keys/key-uses.ts";
import type { KeyScope } from "../../api-keys/scopes.ts";
import { areSecretsUsable } from "../../api-keys/secret-store.ts";
import { createBatch } from "../../db/batch.ts";
import type { AccountDatabase, Database } from "../../db/database.ts";
import { type TokenAuthority, verifyAccessToken } from "../../logins/access-token.ts";
import type { LoggedCaller } from "../../request-log/logged-request.ts";
import type { SecretPair } from "../../secret.ts";
import { chooseCredential } from "./choose-credential.ts";
import type { CredentialLookup } from "./credential-lookup.ts";
import { requireRole } from "./require-role.ts";
import { type CallerAccess, hasScope } from "./route-access.ts";
import { missingScope, refused, refusedKey } from "./unauthorized.ts";

/**
 * Who is calling, is the credential valid, and may it call this route?
 *
 * 1. Choose the credential (choose-credential.ts). An API key is one in either header; nothing below depends on the header.
 * 2. An API key: complete (checksum), known (the HMAC of one of its secrets is stored), neither revoked nor expired nor replaced
 *    (`isUsable` and `isCurrent` in api-key-store.ts), its account is not suspended, and it has the scope that the route needs
 *    (route-access.ts). Account, mode, scopes and domain come from the key.
 * 3. A JWT: signature and claims are valid, its login is still open and belongs to the same user and account, and the account is
 *    not suspended. The user is a member of the account: the login ends with the membership. The role comes from the database.
 *    For an operator route the same statement reads whether the user is an operator and how the log-in was made (operator-login.ts).
 *    An account that moves to another cell is suspended too: 503, so that the client repeats the request (accounts/suspension.ts).
 * 4. Anything else is 401 with the reason (unauthorized.ts). A user without the role that route-access.ts names is 403 (require-role.ts).
 *
 * Whether a credential is valid is never cached, so a revocation takes effect with the next request. For POST /send this check must
 * not add a round trip (`createSenderIdentifier`):
 *
 * 5. Account, mode, scopes and domain of a key and the id of its secret never change, so this process remembers them after the first
 *    request. The accept statement checks secret, key, scope, domain and account in the commit that stores the send
 *    (accept-statement.ts, step `allowed`), also when the key was checked just before.
 * 6. A key that is not remembered, or that comes with a large body, is checked before the body is read, as in item 2, so that
 *    an invalid key cannot make this process read a large body.
 * 7. A request that accept/rate-refusals.ts refuses (429) reaches no statement. `requireValidCredential` checks key and account; requests
 *    that arrive during one such query share the next.
 * 8. When the accept statement refuses a credential, `requireValidCredential` throws 401, 403 or 503 with the reason. If it is valid after all,
 *    for example because the account was resumed meanwhile, the route tries once more.
 * 9. A JWT is checked before the body, and its login and role again by the accept statement. All other routes check every credential again
 *    after the body (require-caller.ts).
 */
export interface Caller {
  accountId: string;
  /** The only database that a route gets to see. */
  db: AccountDatabase;
  mode: "live" | "test";
  credential: KeyCredential | UserCredential;
}

export interface UserCredential {
  kind: "jwt";
  loginId: string;
  userId: string;
  /** Read with the check that the login is open, so that a demotion takes effect with the next request. */
  role: Role;
  needsTotp: boolean;
}

/** The domain whose sends alone the caller may see; undefined when it may see all sends of its account. */
export function domainOf({ credential }: Caller): string | undefined {
  return credential.kind === "api-key" ? credential.domain : undefined;
}

interface KeyCredential {
  kind: "api-key";
  keyId: string;
  secretId: string;
  scopes: readonly KeyScope[];
  /** The only domain whose sends the key may create and see. */
  domain: string | undefined;
}

export interface Authenticator {
  db: Database;
  lookup: CredentialLookup;
  peppers: SecretPair;
  authority: TokenAuthority;
  keyUses: KeyUses;
}

type Headers = FastifyRequest["headers"];

/** Called as soon as the account of the credential is known, also when the credential is then refused. For the request log. */
type NoteCaller = (caller: LoggedCaller) => void;

interface CredentialUse {
  text: string;
  access: CallerAccess;
  note: NoteCaller;
}

export async function authenticate(
  authenticator: Authenticator,
  headers: Headers,
  access: CallerAccess,
  note: NoteCaller = () => undefined,
): Promise<Caller> {
  const { kind, text } = chooseCredential(headers, access);
  const use = { text, access, note };
  return kind === "api-key" ? callerByKey(authenticator, use) : callerByToken(authenticator, use);
}

async function callerByKey(
  { db, lookup, peppers, keyUses }: Authenticator,
  { text, access, note }: CredentialUse,
): Promise<Caller> {
  const verdict = await identifyApiKey(db, peppers, text, lookup.findKey);
  if ("key" in verdict) note({ accountId: verdict.key.accountId, mode: verdict.key.type, apiKeyId: verdict.key.id });
  if (verdict.kind === "suspended") throw refusalOf(await lookup.findSuspension(verdict.key.accountId), "key");
  if (verdict.kind !== "valid") throw refusedKey(verdict.kind);
  const { id, secretId, accountId, type, scopes, domain } = verdict.key;
  if (!hasScope(scopes, access)) throw missingScope(access);
  keyUses.note(id);
  return {
    accountId,
    db: db.forAccount(accountId),
    mode: type,
    credential: { kind: "api-key", keyId: id, secretId, scopes, domain: domain ?? undefined },
  };
}

async function callerByToken(
  { db, lookup, authority }: Authenticator,
  { text, access, note }: CredentialUse,
): Promise<Caller> {
  const claims = verifyAccessToken(authority, text);
  if (claims === undefined) throw refused("The access token is not valid. Log in at POST /api/v1/auth/login.");
  const { sid: loginId, nbf: notBefore = 0, exp: expiresAt } = claims;
  const needsOperator = access.role === "operator";
  const login = await lookup.findLogin({ loginId, notBefore, expiresAt, needsOperator });
  if (login === undefined || login.userId !== claims.sub || login.accountId !== claims.tenant_id) {
    throw refused("The access token has expired or its login has ended. Refresh it or log in again.");
  }
  const { accountId, userId, role, needsTotp } = login;
  note({ accountId, mode: "live", userId });
  if (login.isSuspended) throw refusalOf(await lookup.findSuspension(accountId), "login");
  requireRole(login, access);
  return {
    accountId,
    db: db.forAccount(accountId),
    mode: "live",
    credential: { kind: "jwt", loginId, userId, role, needsTotp },
  };
}

export interface IdentifiedSender extends Sender {
  /** The only domain that the key may send from. The accept statement compares it too. */
  domain: string | undefined;
  /** Undefined for a key. */
  userId: string | undefined;
  /** False when the sender comes from memory: then nothing has checked its key yet. */
  isChecked: boolean;
}

const maxRememberedKeys = 50_000;

/** Items 5 to 8 of the list above. */
export function createSenderIdentifier(authenticator: Authenticator, access: CallerAccess) {
  const { db, keyUses } = authenticator;
  const remembered = new Map<string, IdentifiedSender>();
  const isUsableNow = createBatch({
    run: (secretIds: string[]) => areSecretsUsable(db, secretIds),
    maxItems: 1000,
    maxBytes: 1024 * 1024,
    sizeOf: (secretId) => secretId.length,
  });

  return {
    /** With `mayTrustMemory` the sender may come from memory; then its key is still unchecked. */
    async identify(
      headers: Headers,
      { mayTrustMemory, note }: { mayTrustMemory: boolean; note?: NoteCaller },
    ): Promise<IdentifiedSender> {
      const chosen = chooseCredential(headers, access);
      // Remembered by its hash, so that no key stays in memory.
      const memoryKey = chosen.kind === "api-key" ? hash("sha256", chosen.text, "base64url") : undefined;
      const known = memoryKey === undefined ? undefined : remembered.get(memoryKey);
      if (known !== undefined && mayTrustMemory) return known;
      const sender = senderOf(await answerInTime(authenticate(authenticator, headers, access, note)));
      if (memoryKey !== undefined) {
        if (remembered.size >= maxRememberedKeys) remembered.clear();
        remembered.set(memoryKey, { ...sender, isChecked: false });
      }
      return sender;
    },

    /** Throws 401 with the reason unless the credential is valid now. */
    async requireValidCredential(headers: Headers, sender?: IdentifiedSender): Promise<void> {
      if (sender?.secretId !== undefined && (await answerInTime(isUsableNow(sender.secretId)))) return;
      await answerInTime(authenticate(authenticator, headers, access));
    },

    /** The accept statement has found the key valid. */
    noteUse({ apiKeyId }: Sender): void {
      if (apiKeyId !== undefined) keyUses.note(apiKeyId);
    },
  };
}

function senderOf({ accountId, mode, credential }: Caller): IdentifiedSender {
  const key = credential.kind === "api-key" ? credential : undefined;
  const user = credential.kind === "jwt" ? credential : undefined;
  return {
    accountId,
    mode,
    apiKeyId: key?.keyId,
    secretId: key?.secretId,
    loginId: user?.loginId,
    userId: user?.userId,
    domain: key?.domain,
    isChecked: true,
  };
}
