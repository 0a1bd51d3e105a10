import { createAccount } from "../../accounts/create-account.ts";
import { commandLineActor } from "../../actor.ts";
import type { KeyType } from "../../api-keys/api-key.ts";
import { type ApiKeyIssuer, createApiKey } from "../../api-keys/create-api-key.ts";
import { type Environment, readKeyIssuer } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { amountText, say } from "../../plain-text.ts";

export interface CreateAccountOptions {
  name: string;
  email: string;
  withKey?: KeyType;
  trial?: number;
}

/**
 * Account and key are two commits, because `accounts` and `api-keys` do not know each other. The account is printed before the
 * key is created: if the process dies between the two, the operator has the password and creates a key with `create-key`.
 */
export async function runCreateAccount(
  { db, environment }: { db: Database; environment: Environment },
  { name, email, withKey, trial }: CreateAccountOptions,
): Promise<void> {
  // Read first: a missing setting must not leave an account without its key.
  const issuer = withKey === undefined ? undefined : readKeyIssuer(environment);
  const { accountId, password } = await createAccount(db, name, email, { trial, actor: commandLineActor() });
  say(`Account  ${accountId}  ${name}\nUser     ${email}\nPassword ${password}`);
  if (trial !== undefined) say(`Trial    ${amountText(trial, "recipient")} of live mail a day`);
  if (issuer === undefined || withKey === undefined) return say("\nThe password is not shown again.");
  const key = await createFirstKey(db, { accountId, email, issuer, type: withKey });
  say(`Key      ${key}\n\nPassword and key are not shown again.`);
}

interface FirstKey {
  accountId: string;
  email: string;
  issuer: ApiKeyIssuer;
  type: KeyType;
}

async function createFirstKey(db: Database, { accountId, email, issuer, type }: FirstKey): Promise<string> {
  // The first steps of docs/install.md send and read.
  const request = { name: `first ${type} key`, type, expiresAt: null, scopes: ["send", "read"] as const };
  try {
    return (await createApiKey(db.forAccount(accountId, commandLineActor()), issuer, request)).key;
  } catch (cause) {
    const retry = `postern admin create-key --account ${email} --type ${type} --scope ${request.scopes.join(" ")} --name "${request.name}"`;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The account was created, but not its key (${reason}). To create the key: \`${retry}\``;
    throw new AppError("UNAVAILABLE", message, { cause });
  }
}
