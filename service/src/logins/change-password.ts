import { hashPassword } from "../accounts/password.ts";
import { emailOf } from "../accounts/user-store.ts";
import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Database, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { LoginDeps } from "./login-deps.ts";
import { addressBlock } from "./login-throttle.ts";
import { type PasswordProof, requireOwnPassword } from "./own-password.ts";
import { deleteResetsOfUser } from "./password-reset.ts";
import { endOtherSessions } from "./session-store.ts";

interface OwnUser {
  userId: string;
  accountId: string;
  loginId: string;
  actor: Actor;
}

/**
 * Sets the password, ends all other sessions and all reset links of the user in one commit, and returns how many sessions ended. The session
 * that this one comes from by a switch of the account stays, as in `endOtherSessions`.
 */
export async function changePassword(
  db: Database,
  deps: LoginDeps,
  user: OwnUser,
  { newPassword, ...proof }: PasswordProof & { newPassword: string },
): Promise<number> {
  const { userId, loginId } = user;
  const { passwordHash: checked } = await requireOwnPassword(db, deps, userId, proof, "Change it at the issuer.");
  const passwordHash = await deps.slots.run(addressBlock(proof.address), () => hashPassword(newPassword));
  const ended = await db.withTransaction(async (tx) => {
    if (!(await replacePasswordHash(tx, user, { checked, passwordHash }))) return undefined;
    await deleteResetsOfUser(tx, userId);
    // A later statement, so that it also finds a log-in that the update waited for.
    return endOtherSessions(tx, { userId, loginId });
  });
  if (ended === undefined) throw changedMeanwhile();
  return ended;
}

/** Of two changes at once one succeeds: the other has checked the old password. Nothing changes when the session ended meanwhile. */
async function replacePasswordHash(
  tx: Transaction,
  { userId, accountId, loginId, actor }: OwnUser,
  { checked, passwordHash }: { checked: string; passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query({
    name: "replace-password-hash",
    text: `
      with changed as (
        update users
        set password_hash = $3
        where id = $1
          and password_hash = $2
          and exists (select from logins where id = $4 and user_id = $1)
        returning id
      ), ${auditEntry({
        action: "password.change",
        actor: "$6",
        account: "$5::uuid",
        target: { kind: "user", id: "changed.id", name: emailOf("changed.id") },
        from: "changed",
      })}
      select id
      from changed`,
    values: [userId, checked, passwordHash, loginId, accountId, JSON.stringify(actor)],
  });
  return rows.length === 1;
}

function changedMeanwhile(): AppError {
  return new AppError("UNAUTHORIZED", "Your password was changed or your session has ended meanwhile. Log in again.");
}
