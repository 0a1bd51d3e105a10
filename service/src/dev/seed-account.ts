import { createAccount } from "../accounts/create-account.ts";
import { isPassword } from "../accounts/password.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { KeyType } from "../api-keys/api-key.ts";
import { type ApiKeyIssuer, createApiKey } from "../api-keys/create-api-key.ts";
import { identifyApiKey } from "../api-keys/identify-api-key.ts";
import type { KeyScope } from "../api-keys/scopes.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { resetPassword } from "../logins/reset-password.ts";
import { allowWebhookNetwork } from "../webhooks/network-store.ts";
import type { DevSettings } from "./state-folder.ts";

/** The user in the examples of the documentation. */
export const seededEmail = "ada@example.com";
const accountName = "Acme";
/** The examples of the documentation send, read and listen. */
const devScopes: readonly KeyScope[] = ["send", "read", "webhooks"];

/** A receiver under development runs beside Postern. */
const ownMachine = "127.0.0.0/8";

export interface SeededAccount {
  accountId: string;
  password: string;
  testKey: string;
  liveKey: string;
}

/**
 * Creates an account with a password and two API keys, and saves each through `save`. A password or key in the settings that
 * still works is kept; one that is missing, changed or revoked is replaced. Webhooks of the account may go to this machine.
 */
export async function seedAccount(
  db: Database,
  issuer: ApiKeyIssuer,
  settings: DevSettings,
  save: (created: Partial<DevSettings>) => void,
): Promise<SeededAccount> {
  const { accountId, password } = await ensureUser(db, settings.password);
  save({ password });
  const testKey = await ensureKey(db, accountId, issuer, { type: "test", known: settings.testKey });
  save({ testKey });
  const liveKey = await ensureKey(db, accountId, issuer, { type: "live", known: settings.liveKey });
  save({ liveKey });
  await allowWebhookNetwork(db, accountId, ownMachine);
  return { accountId, password, testKey, liveKey };
}

async function ensureUser(db: Database, known: string | undefined): Promise<{ accountId: string; password: string }> {
  const user = await findUserByEmail(db, seededEmail);
  if (user === undefined) return createAccount(db, accountName, seededEmail);
  if (user.accountId === null)
    throw new AppError("CONFLICT", `${seededEmail} is no longer a member of any account. Start once with --fresh.`);
  const isKnown = known !== undefined && (await isPassword(known, user.passwordHash));
  return { accountId: user.accountId, password: isKnown ? known : await resetPassword(db, seededEmail) };
}

async function ensureKey(
  db: Database,
  accountId: string,
  issuer: ApiKeyIssuer,
  { type, known }: { type: KeyType; known: string | undefined },
): Promise<string> {
  const verdict = known && (await identifyApiKey(db, { current: issuer.pepper, second: undefined }, known));
  const isOwn = verdict && verdict.kind === "valid" && verdict.key.accountId === accountId;
  // A key of an earlier release can have fewer.
  const isUsable = isOwn && devScopes.every((scope) => verdict.key.scopes.includes(scope));
  if (known !== undefined && isUsable) return known;
  const { key } = await createApiKey(db.forAccount(accountId), issuer, {
    name: `postern dev, ${type}`,
    type,
    expiresAt: null,
    scopes: devScopes,
  });
  return key;
}
