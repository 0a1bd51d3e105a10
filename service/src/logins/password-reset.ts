import { hashPassword } from "../accounts/password.ts";
import { withAuditAccount } from "../accounts/user-store.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Database, Queryable, Transaction } from "../db/database.ts";
import { AppError } from "../errors.ts";
import { anonymousAt, type Client, originOf } from "./client.ts";
import type { LoginDeps } from "./login-deps.ts";
import { deleteLoginsOfUser } from "./login-store.ts";
import { addressBlock } from "./login-throttle.ts";
import { countMail } from "./mail-throttle.ts";
import { hashOfToken, linkWithToken, makeMailedToken, type SendSystemMail } from "./mailed-token.ts";

const resetMinutes = 60;
const perTargetAndHour = 5;
const perAddressAndHour = 30;

export interface ResetDeps {
  login: Pick<LoginDeps, "throttle" | "slots">;
  publicUrl: string;
  /** Undefined without SYSTEM_SENDER. */
  sendMail: SendSystemMail | undefined;
}

/**
 * Known and unknown addresses get the same answer after the same work: the answer waits for the count only, and `mailing` goes on after it.
 * If the process dies before the mail is stored, the person requests it again.
 */
export async function requestPasswordReset(
  db: Queryable,
  { login, publicUrl, sendMail }: ResetDeps,
  { email, ...client }: Client & { email: string },
): Promise<{ mailing: Promise<boolean> }> {
  if (sendMail === undefined) throw withoutMail();
  await countMail(db, login.throttle, [
    { bucket: ["reset-target", email.toLowerCase()], perHour: perTargetAndHour },
    { bucket: ["reset-address", addressBlock(client.address)], perHour: perAddressAndHour },
  ]);
  return { mailing: mailReset(db, { publicUrl, sendMail }, email, client) };
}

/** False when there is no such user, or the mail was not accepted. */
async function mailReset(
  db: Queryable,
  { publicUrl, sendMail }: { publicUrl: string; sendMail: SendSystemMail },
  email: string,
  client: Client,
): Promise<boolean> {
  const token = makeMailedToken();
  const [user] = await db.query<{ email: string }>({
    name: "insert-password-reset",
    text: `
      with known as materialized (
        select id, email, account_id
        from users
        where email = lower($1)
          and not is_oidc
      ), added as (
        insert into password_resets (token_hash, user_id, expires_at)
        select $2, id, now() + make_interval(mins => $3)
        from known
      ), ${auditEntry({
        action: "password.reset-request",
        actor: "$4",
        account: "audit_account.account_id",
        target: { kind: "user", id: "known.id", name: "known.email" },
        from: withAuditAccount("known"),
      })}
      select email
      from known`,
    values: [email, token.hash, resetMinutes, JSON.stringify(anonymousAt(client))],
  });
  if (user === undefined) return false;
  const text =
    "Someone asked to reset your password for Postern. To choose a new password, open this link within one hour:\n\n" +
    `${linkWithToken(publicUrl, "reset", token.text)}\n\n` +
    "A new password ends all of your logins. If you did not ask for this, ignore this mail; your password stays as it is.\n";
  return sendMail({ to: user.email, subject: "Reset your password", text });
}

/** Sets the password, ends all logins and all other resets of the user in one commit. Of two uses at once one succeeds. */
export async function usePasswordReset(
  db: Database,
  { login }: Pick<ResetDeps, "login">,
  { token, password, ...client }: Client & { token: string; password: string },
): Promise<void> {
  const tokenHash = hashOfToken(token);
  // Hashing a password is expensive, so only a valid token gets it.
  if (!(await isOpenReset(db, tokenHash))) throw notValid();
  const passwordHash = await login.slots.run(addressBlock(client.address), () => hashPassword(password));
  const isUsed = await db.withTransaction(async (tx) => {
    const [user] = await tx.query<{ id: string }>({
      name: "use-password-reset",
      text: `
        with owner as materialized (
          -- First, so that two resets of one user run one after the other: each deletes the row of the other.
          select users.id
          from password_resets
          join users on users.id = password_resets.user_id
          where password_resets.token_hash = $1
          for update of users
        ), used as (
          delete from password_resets
          where token_hash = $1
            and user_id in (select id from owner)
            and expires_at > now()
          returning user_id
        ), others as (
          delete from password_resets
          where user_id in (select user_id from used)
            and token_hash <> $1
        ), changed as (
          update users
          set password_hash = $2
          from used
          where users.id = used.user_id
          returning users.id, users.account_id, users.email
        ), ${auditEntry({
          action: "password.reset",
          // The link proves that the user asked.
          actor: "(jsonb_build_object('kind', 'user', 'id', changed.id, 'name', changed.email) || $3::jsonb)",
          account: "audit_account.account_id",
          target: { kind: "user", id: "changed.id", name: "changed.email" },
          from: withAuditAccount("changed"),
        })}
        select id
        from changed`,
      values: [tokenHash, passwordHash, JSON.stringify(originOf(client))],
    });
    // A later statement, so that it also finds a log-in that the update waited for.
    if (user !== undefined) await deleteLoginsOfUser(tx, user.id);
    return user !== undefined;
  });
  if (!isUsed) throw notValid();
}

export async function deleteResetsOfUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query({
    name: "delete-resets-of-user",
    text: `
      delete from password_resets
      where user_id = $1`,
    values: [userId],
  });
}

async function isOpenReset(db: Queryable, tokenHash: Buffer): Promise<boolean> {
  const rows = await db.query({
    name: "is-open-reset",
    text: `
      select
      from password_resets
      where token_hash = $1
        and expires_at > now()`,
    values: [tokenHash],
  });
  return rows.length === 1;
}

/** Returns how many rows it deleted, at most `limit`. */
export async function deleteExpiredResets(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-expired-resets",
    text: `
      delete from password_resets
      where token_hash in (
        select token_hash
        from password_resets
        where expires_at <= now()
        order by expires_at
        limit $1
        for update skip locked
      )
      returning token_hash`,
    values: [limit],
  });
  return rows.length;
}

function notValid(): AppError {
  return new AppError("NOT_FOUND", "This link is not valid any more: it was used or has expired. Request a new one.");
}

function withoutMail(): AppError {
  return new AppError(
    "NOT_FOUND",
    "This installation mails no password resets. Ask its operator, who can set a new password with `postern admin reset-password`.",
  );
}
