import { findAccount } from "../accounts/account-store.ts";
import { listMemberships } from "../accounts/membership-store.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

export async function getAccountByIdOrEmail(db: Database, text: string): Promise<{ id: string; name: string }> {
  const id = isUuid(text) ? text : await findOnlyAccount(db, text);
  const account = id === undefined ? undefined : await findAccount(db.forAccount(id));
  if (account !== undefined) return account;
  throw new AppError("NOT_FOUND", `There is no account ${text}. Give its id or the email of one of its users.`);
}

/** The email of a person in several accounts names none of them. */
async function findOnlyAccount(db: Database, email: string): Promise<string | undefined> {
  const user = await findUserByEmail(db, email);
  const memberships = user === undefined ? [] : await listMemberships(db, user.id);
  if (memberships.length <= 1) return memberships[0]?.accountId;
  const accounts = memberships.map(({ accountId, accountName }) => `${accountId} (${accountName})`).join(", ");
  throw new AppError("CONFLICT", `${email} is a member of several accounts. Give the id of one instead: ${accounts}.`);
}
