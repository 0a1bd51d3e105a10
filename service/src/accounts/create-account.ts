import { randomUUIDv7 } from "node:crypto";
import { type Actor, systemActor } from "../actor.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { insertAccount } from "./account-store.ts";
import { generatePassword, hashPassword } from "./password.ts";
import { setQuotas } from "./quota-store.ts";
import { insertUser } from "./user-store.ts";

/**
 * Creates an account and its first user in one commit. Returns the generated password; the database keeps only its hash. `trial` limits
 * the recipients of live mail a day until the operator lifts it; test mail reaches nobody.
 */
export async function createAccount(
  db: Database,
  name: string,
  email: string,
  { trial, actor = systemActor }: { trial?: number | undefined; actor?: Actor } = {},
) {
  requireName(name);
  requireEmail(email);
  const [accountId, userId] = [randomUUIDv7(), randomUUIDv7()];
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  await db.withTransaction(async (tx) => {
    await insertAccount(tx, accountId, name, actor);
    if (trial !== undefined) await setQuotas(tx, { accountId, mode: "live" }, { trial }, actor);
    const isNew = await insertUser(tx, { id: userId, accountId, role: "owner", email, passwordHash });
    if (!isNew) throw new AppError("CONFLICT", `A user with the email ${email} already exists. Choose another one.`);
  });
  return { accountId, userId, password };
}

function requireName(name: string): void {
  if (name.trim() !== "" && name.length <= 200 && !/\p{Cc}/u.test(name)) return;
  throw new AppError("VALIDATION_ERROR", "The account's name must be 1 to 200 characters without control characters.");
}

/** A user logs in with this email. The strict address rules apply only to the addresses of mail. */
function requireEmail(email: string): void {
  if (email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return;
  throw new AppError("VALIDATION_ERROR", `"${email}" is not an email address.`);
}
