import { findAccount } from "../accounts/account-store.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

export async function getAccountByIdOrEmail(db: Database, text: string): Promise<{ id: string; name: string }> {
  const id = isUuid(text) ? text : (await findUserByEmail(db, text))?.accountId;
  const account = id === undefined ? undefined : await findAccount(db.forAccount(id));
  if (account !== undefined) return account;
  throw new AppError("NOT_FOUND", `There is no account ${text}. Give its id or the email of one of its users.`);
}

export async function getAccountIdByEmail(db: Database, email: string): Promise<string> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) throw new AppError("NOT_FOUND", `There is no user with the email ${email}.`);
  return user.accountId;
}
