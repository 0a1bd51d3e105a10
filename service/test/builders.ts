import { randomBytes, randomUUIDv7 } from "node:crypto";
import { insertAccount } from "../src/accounts/account-store.ts";
import { hashPassword } from "../src/accounts/password.ts";
import { insertUser } from "../src/accounts/user-store.ts";
import type { KeyType } from "../src/api-keys/api-key.ts";
import { type ApiKeyIssuer, createApiKey } from "../src/api-keys/create-api-key.ts";
import type { Database } from "../src/db/database.ts";
import { issueAccessToken } from "../src/logins/access-token.ts";
import type { LoginDeps } from "../src/logins/log-in.ts";
import { insertLogin } from "../src/logins/login-store.ts";

export async function anAccount(db: Database, { name = "An account" } = {}): Promise<string> {
  const accountId = randomUUIDv7();
  await db.withTransaction((tx) => insertAccount(tx, accountId, name));
  return accountId;
}

export interface TestUser {
  id: string;
  accountId: string;
  email: string;
  password: string;
}

export const usualPassword = "a password for tests";
const usualHash = hashPassword(usualPassword);

/** Of a new account unless one is given. */
export async function aUser(db: Database, { accountId = "" } = {}): Promise<TestUser> {
  const owner = accountId === "" ? await anAccount(db) : accountId;
  const user = { id: randomUUIDv7(), accountId: owner, email: `user-${randomBytes(6).toString("hex")}@example.com` };
  const passwordHash = await usualHash;
  await db.withTransaction((tx) => insertUser(tx, { ...user, passwordHash }));
  return { ...user, password: usualPassword };
}

export interface TestLogin extends TestUser {
  loginId: string;
  accessToken: string;
  refreshToken: string;
}

/** A user who is logged in, without the cost of checking a password. */
export async function aLogin(db: Database, deps: LoginDeps, options: { accountId?: string } = {}): Promise<TestLogin> {
  const user = await aUser(db, options);
  const loginId = randomUUIDv7();
  const refreshToken = deps.refreshTokens.make(loginId);
  const passwordHash = await usualHash;
  const now = await insertLogin(db, { id: loginId, userId: user.id, nonce: refreshToken.nonce, passwordHash });
  if (now === undefined) throw new Error("the password of a new user has changed");
  const session = { userId: user.id, accountId: user.accountId, loginId };
  const accessToken = await issueAccessToken(deps.authority, session, now);
  return { ...user, loginId, accessToken, refreshToken: refreshToken.text };
}

interface KeyOptions {
  name?: string;
  type?: KeyType;
  expiresAt?: string | null;
}

export function anApiKey(db: Database, press: ApiKeyIssuer, accountId: string, options: KeyOptions = {}) {
  return createApiKey(db.forAccount(accountId), press, { name: "a key", type: "live", expiresAt: null, ...options });
}
