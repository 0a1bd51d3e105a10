import { randomUUIDv7 } from "node:crypto";
import { hashPassword } from "../accounts/password.ts";
import type { Role } from "../accounts/role.ts";
import { refusalOfSuspended } from "../accounts/suspension.ts";
import { findUserByEmail } from "../accounts/user-store.ts";
import type { Actor } from "../actor.ts";
import type { Database, Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { type Client, userAt } from "../logins/client.ts";
import { checkPassword } from "../logins/log-in.ts";
import type { LoginDeps } from "../logins/login-deps.ts";
import { addressBlock, clearAttempts } from "../logins/login-throttle.ts";
import { hashOfToken } from "../logins/mailed-token.ts";
import {
  addUserByInvitation,
  findOpenInvitation,
  joinByInvitation,
  type OpenInvitation,
} from "./open-invitation-store.ts";

interface Acceptance extends Client {
  token: string;
  password: string;
}

/**
 * For a person who is not logged in. A user gives the password of that user, and a new person chooses one. It starts no login: log-in has
 * rules of its own, such as a second factor.
 */
export async function acceptInvitation(db: Database, deps: LoginDeps, acceptance: Acceptance): Promise<OpenInvitation> {
  requireLength(acceptance.password);
  const tokenHash = hashOfToken(acceptance.token);
  const invitation = await getOpenInvitation(db, tokenHash);
  const user = await findUserByEmail(db, invitation.email);
  if (
    user === undefined &&
    (await addUser(db, deps, tokenHash, { ...acceptance, email: invitation.email })) === "joined"
  )
    return invitation;
  // Another invitation of the same new person may just have created the user.
  const role = await joinWithPassword(db, deps, tokenHash, { ...acceptance, email: invitation.email });
  return { ...invitation, role };
}

/** For a user who is logged in. The invitation must be for the address of this user. */
export async function joinAsUser(
  db: Queryable,
  { userId, actor }: { userId: string; actor: Actor },
  token: string,
): Promise<OpenInvitation> {
  const tokenHash = hashOfToken(token);
  const invitation = await getOpenInvitation(db, tokenHash);
  const role = await joinByInvitation(db, { tokenHash, userId, passwordHash: undefined }, actor);
  if (role !== undefined) return { ...invitation, role };
  throw new AppError(
    "NOT_FOUND",
    "This invitation is for another address than yours, or is not valid any more. Log in as the invited user, or ask for a new one.",
  );
}

async function getOpenInvitation(db: Queryable, tokenHash: Buffer): Promise<OpenInvitation> {
  const invitation = await findOpenInvitation(db, tokenHash);
  if (invitation === undefined) throw notOpen();
  if (invitation.isSuspended) throw await refusalOfSuspended(db, invitation.accountId);
  return invitation;
}

async function addUser(
  db: Database,
  { slots }: LoginDeps,
  tokenHash: Buffer,
  { password, email, ...client }: Acceptance & { email: string },
): Promise<"joined" | "email-taken"> {
  const passwordHash = await slots.run(addressBlock(client.address), () => hashPassword(password));
  const taken = new Error("the email is taken");
  try {
    return await db.withTransaction(async (tx) => {
      const userId = randomUUIDv7();
      const actor = { ...userAt(client, userId), name: email };
      const outcome = await addUserByInvitation(tx, { tokenHash, userId, passwordHash }, actor);
      if (outcome === "not-open") throw notOpen();
      if (outcome === "email-taken") throw taken;
      return outcome;
    });
  } catch (error) {
    if (error === taken) return "email-taken";
    throw error;
  }
}

async function joinWithPassword(
  db: Database,
  deps: LoginDeps,
  tokenHash: Buffer,
  attempt: Client & { email: string; password: string },
): Promise<Role> {
  const user = await deps.slots.run(addressBlock(attempt.address), () => checkPassword(db, deps, attempt));
  if (user === undefined) {
    throw new AppError(
      "UNAUTHORIZED",
      "The invited person is already a user. Give the password of this user, or log in first.",
    );
  }
  await clearAttempts(db, deps.throttle, attempt);
  const joining = { tokenHash, userId: user.id, passwordHash: user.passwordHash };
  const role = await joinByInvitation(db, joining, userAt(attempt, user.id));
  if (role === undefined) throw notOpen();
  return role;
}

export const minPasswordLength = 12;

/** Before any lookup: the answer must not show whether the invited person is a user. Postern has set no shorter password either. */
function requireLength(password: string): void {
  if (password.length >= minPasswordLength) return;
  const message = `must have at least ${minPasswordLength} characters`;
  throw new AppError("VALIDATION_ERROR", `password ${message}.`, {
    details: [{ field: "password", code: "too_small", message }],
  });
}

function notOpen(): AppError {
  return new AppError(
    "NOT_FOUND",
    "This invitation is not valid any more: it was used, replaced or withdrawn, or has expired. Ask an owner of the account for a new one.",
  );
}
