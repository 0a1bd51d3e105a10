import { randomBytes, randomUUIDv7 } from "node:crypto";
import { insertAccount } from "../src/accounts/account-store.ts";
import { hashPassword } from "../src/accounts/password.ts";
import type { Role } from "../src/accounts/role.ts";
import { insertUser } from "../src/accounts/user-store.ts";
import type { KeyType } from "../src/api-keys/api-key.ts";
import { type ApiKeyIssuer, createApiKey } from "../src/api-keys/create-api-key.ts";
import type { KeyScope } from "../src/api-keys/scopes.ts";
import type { Database } from "../src/db/database.ts";
import { issueAccessToken } from "../src/logins/access-token.ts";
import type { LoginDeps } from "../src/logins/login-deps.ts";
import { insertLogin } from "../src/logins/login-store.ts";
import { newSendId } from "../src/sends/send-id.ts";

/** `madeAt`: an account has no sends from long before, so tests with older sends need an older account. */
export async function anAccount(db: Database, { name = "An account", madeAt = Date.now() } = {}): Promise<string> {
  const accountId = newSendId(madeAt);
  await db.withTransaction((tx) => insertAccount(tx, accountId, name));
  return accountId;
}

export interface TestUser {
  id: string;
  accountId: string;
  role: Role;
  email: string;
  password: string;
}

export const usualPassword = "a password for tests";
const usualHash = hashPassword(usualPassword);

interface UserOptions {
  accountId?: string;
  role?: Role;
}

/** Creates an account as well unless the test passes one. */
export async function aUser(db: Database, { accountId, role = "owner" }: UserOptions = {}): Promise<TestUser> {
  const home = accountId ?? (await anAccount(db));
  const email = `user-${randomBytes(6).toString("hex")}@example.com`;
  const user = { id: randomUUIDv7(), accountId: home, role, email };
  const passwordHash = await usualHash;
  await db.withTransaction((tx) => insertUser(tx, { ...user, passwordHash }));
  return { ...user, password: usualPassword };
}

export interface TestLogin extends TestUser {
  loginId: string;
  accessToken: string;
  refreshToken: string;
}

/** A user with an open login, stored directly to save the cost of a password check. */
export async function aLogin(db: Database, loginDeps: LoginDeps, options: UserOptions = {}): Promise<TestLogin> {
  const user = await aUser(db, options);
  const loginId = randomUUIDv7();
  const nonce = loginDeps.refreshTokens.newNonce();
  const passwordHash = await usualHash;
  const client = { address: "192.0.2.1", userAgent: "a client for tests" };
  const { id: userId, accountId } = user;
  const now = await insertLogin(db, { id: loginId, userId, accountId, nonce, passwordHash, client });
  if (now === undefined) throw new Error("the login was not stored because the password hash differs");
  const session = { userId, accountId, loginId };
  const accessToken = await issueAccessToken(loginDeps.authority, session, now);
  return { ...user, loginId, accessToken, refreshToken: loginDeps.refreshTokens.write({ loginId, nonce }) };
}

interface KeyOptions {
  name?: string;
  type?: KeyType;
  expiresAt?: string | null;
  scopes?: KeyScope[];
  domain?: string;
}

export function anApiKey(db: Database, issuer: ApiKeyIssuer, accountId: string, options: KeyOptions = {}) {
  return createApiKey(db.forAccount(accountId), issuer, { name: "a key", type: "live", expiresAt: null, ...options });
}
