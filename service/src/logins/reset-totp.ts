import { findUserByEmail } from "../accounts/user-store.ts";
import { type Actor, systemActor } from "../actor.ts";
import type { Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { deleteLoginsOfUser } from "./login-store.ts";
import { endSessions, listSessions } from "./session-store.ts";
import { removeTotp } from "./totp-store.ts";

/** Turns TOTP off and ends all logins of the user in the same commit. Returns false when it was off. */
export async function resetTotp(db: Database, email: string, actor: Actor = systemActor): Promise<boolean> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) throw new AppError("NOT_FOUND", `There is no user with the email ${email}.`);
  return db.withTransaction(async (tx) => {
    const wasEnabled = await removeTotp(tx, user.id, actor);
    // Without TOTP there is no entry yet that the sessions could be a part of.
    if (!wasEnabled) {
      const sessions = await listSessions(tx, user.id);
      const loginIds = sessions.map(({ id }) => id);
      await endSessions(tx, loginIds, { action: "session.end", actor });
    }
    await deleteLoginsOfUser(tx, user.id);
    return wasEnabled;
  });
}
