import { createAccount } from "../accounts/create-account.ts";
import { isPassword } from "../accounts/password.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { KeyType } from "../api-keys/api-key.ts";
import { type ApiKeyIssuer, createApiKey } from "../api-keys/create-api-key.ts";
import { identifyApiKey } from "../api-keys/identify-api-key.ts";
import type { Database } from "../db/database.ts";
import { resetPassword } from "../logins/reset-password.ts";
import type { DevSettings } from "./state-folder.ts";

export const seededEmail = "ada@acme-demo.io";
const accountName = "Acme";

export interface SeededAccount {
  accountId: string;
  password: string;
  testKey: string;
  liveKey: string;
}

/**
 * Makes an account with a password and two keys, or finds that those in the settings still work. A start that died before
 * it noted a password or key makes another one; so does one that finds it changed or revoked.
 */
export async function seedAccount(
  db: Database,
  press: ApiKeyIssuer,
  settings: DevSettings,
  note: (made: Partial<DevSettings>) => void,
): Promise<SeededAccount> {
  const { accountId, password } = await ensureUser(db, settings.password);
  note({ password });
  const testKey = await ensureKey(db, accountId, press, { type: "test", known: settings.testKey });
  note({ testKey });
  const liveKey = await ensureKey(db, accountId, press, { type: "live", known: settings.liveKey });
  note({ liveKey });
  return { accountId, password, testKey, liveKey };
}

async function ensureUser(db: Database, known: string | undefined): Promise<{ accountId: string; password: string }> {
  const user = await findUserByEmail(db, seededEmail);
  if (user === undefined) return createAccount(db, accountName, seededEmail);
  const isKnown = known !== undefined && (await isPassword(known, user.passwordHash));
  return { accountId: user.accountId, password: isKnown ? known : await resetPassword(db, seededEmail) };
}

async function ensureKey(
  db: Database,
  accountId: string,
  press: ApiKeyIssuer,
  { type, known }: { type: KeyType; known: string | undefined },
): Promise<string> {
  const verdict = known && (await identifyApiKey(db, { current: press.pepper, second: undefined }, known));
  if (known !== undefined && verdict && verdict.kind === "valid") return known;
  const { key } = await createApiKey(db.forAccount(accountId), press, {
    name: `postern dev, ${type}`,
    type,
    expiresAt: null,
  });
  return key;
}
