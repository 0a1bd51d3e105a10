import { generatePassword, hashPassword } from "../accounts/password.ts";
import { findUserByEmail, isContactEmail, setPasswordHash } from "../accounts/user-store.ts";
import { type Actor, systemActor } from "../actor.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { deleteLoginsOfUser } from "./login-store.ts";
import { deleteResetsOfUser } from "./password-reset.ts";

/**
 * For the operator, who may know how a user logs in. Sets a new generated password and ends all logins and reset links of the user in the
 * same commit.
 */
export async function resetPassword(db: Database, email: string, actor: Actor = systemActor): Promise<string> {
  const user = await findUserByEmail(db, email);
  if (user?.isOidc || (user === undefined && (await isContactEmail(db, email)))) {
    throw new AppError("CONFLICT", `${email} logs in by OIDC and has no password here. The issuer sets it.`);
  }
  if (user === undefined) throw new AppError("NOT_FOUND", `There is no user with the email ${email}.`);
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  await db.withTransaction(async (tx) => {
    await setPasswordHash(tx, user.id, passwordHash, actor);
    await deleteResetsOfUser(tx, user.id);
    await deleteLoginsOfUser(tx, user.id);
  });
  return password;
}
