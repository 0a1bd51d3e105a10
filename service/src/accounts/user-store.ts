import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { AppError } from "../errors.ts";
import type { Role } from "./role.ts";

export interface User {
  id: string;
  passwordHash: string;
  /** The account that a log-in without a choice opens. Null for a person who is no longer a member of any account. */
  accountId: string | null;
  isSuspended: boolean;
  /** Logs in at the OIDC issuer and has no password. */
  isOidc: boolean;
}

interface NewUser {
  id: string;
  /** The home account. The column names it for owners only (migration 0036). */
  accountId: string;
  role: Role;
  email: string;
  passwordHash: string;
}

/** Stores the user as a member of the home account. Returns false when another user already has this email. */
export async function insertUser(tx: Transaction, user: NewUser): Promise<boolean> {
  const rows = await tx.query({
    name: "insert-user",
    text: `
      with added as (
        insert into users (id, account_id, email, password_hash)
        values ($1, case when $5 = 'owner' then $2::uuid end, lower($3), $4)
        on conflict (email) do nothing
        returning id
      )
      insert into memberships (user_id, account_id, role)
      select id, $2, $5
      from added
      returning user_id`,
    values: [user.id, user.accountId, user.email, user.passwordHash, user.role],
  });
  return rows.length === 1;
}

/** SQL: the account that a log-in without a choice opens: the home account, or else the oldest membership that is not suspended. */
function openedAccount(user: string): string {
  return indexLookup(`
        select m.account_id, a.suspended_at is not null as is_suspended
        from memberships m
        join accounts a on a.id = m.account_id
        where m.user_id = ${user}.id
        order by m.is_closed, a.suspended_at is not null, m.account_id = ${user}.account_id desc, m.created_at, m.account_id
        limit 1`);
}

/**
 * Searches all accounts: an email is unique in the installation, and a log-in request names no account. It opens the home account, or the
 * account of the oldest membership when the person has left the home account or it is suspended.
 */
export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [row] = await db.query<User>({
    name: "find-user-by-email",
    text: `
      select users.id, users.password_hash as "passwordHash", opened.account_id as "accountId",
        coalesce(opened.is_suspended, false) as "isSuspended", users.is_oidc as "isOidc"
      from users
      left join lateral ${openedAccount("users")} opened on true
      where users.email = lower($1)`,
    values: [email],
  });
  return row;
}

/** Undefined for a person who is not a member of any account. */
export async function findOpenedAccount(
  db: Queryable,
  userId: string,
): Promise<{ accountId: string; isSuspended: boolean } | undefined> {
  const [row] = await db.query<{ accountId: string; isSuspended: boolean }>({
    name: "find-opened-account",
    text: `
      select opened.account_id as "accountId", opened.is_suspended as "isSuspended"
      from users
      cross join lateral ${openedAccount("users")} opened
      where users.id = $1`,
    values: [userId],
  });
  return row;
}

/** SQL: the address to show and to write to. The email of a user who logs in by OIDC is a name without a mailbox. */
export function shownEmail(user: string): string {
  return `coalesce(${user}.contact_email, ${user}.email)`;
}

/** SQL: the same of the user with this id. */
export function emailOf(userId: string): string {
  return `(select ${shownEmail("u")} from users u where u.id = ${userId})`;
}

/** Whether it is the verified address of a user who logs in by OIDC. */
export async function isContactEmail(db: Queryable, email: string): Promise<boolean> {
  const rows = await db.query({
    name: "is-contact-email",
    text: `
      select
      from users
      where contact_email = lower($1)
      limit 1`,
    values: [email],
  });
  return rows.length === 1;
}

/** The email that the user logs in with. A user of the OIDC issuer cannot log in with it. */
export async function getLoginName(db: Queryable, userId: string): Promise<{ email: string; isOidc: boolean }> {
  const [row] = await db.query<{ email: string; isOidc: boolean }>({
    name: "get-login-name",
    text: `
      select email, is_oidc as "isOidc"
      from users
      where id = $1`,
    values: [userId],
  });
  if (row === undefined) throw new AppError("NOT_FOUND", "This user no longer exists.");
  return row;
}

/**
 * SQL: the user with the account whose audit gets what concerns the user alone, as `audit_account`: the one that a log-in opens. No row for
 * a person who is not a member of any account: there is no audit for the entry.
 */
export function withAuditAccount(user: string): string {
  return `${user} cross join lateral ${openedAccount(user)} as audit_account`;
}

interface Person {
  email: string;
  isOperator: boolean;
  isOidc: boolean;
  hasTotp: boolean;
}

/** The email is for the person and for other members, unlike the name for a log-in. */
export async function getPerson(db: Queryable, userId: string): Promise<Person> {
  const [row] = await db.query<Person>({
    name: "get-person",
    text: `
      select ${shownEmail("users")} as email, is_operator as "isOperator", is_oidc as "isOidc",
        totp_enabled_at is not null as "hasTotp"
      from users
      where id = $1`,
    values: [userId],
  });
  if (row === undefined) throw new AppError("NOT_FOUND", "This user no longer exists.");
  return row;
}

export async function setPasswordHash(
  tx: Transaction,
  userId: string,
  passwordHash: string,
  actor: Actor,
): Promise<void> {
  await tx.query({
    name: "set-password-hash",
    text: `
      with changed as (
        update users
        set password_hash = $2
        where id = $1
        returning id, account_id, email
      ), ${auditEntry({
        action: "password.reset",
        actor: "$3",
        account: "audit_account.account_id",
        target: { kind: "user", id: "changed.id", name: "changed.email" },
        from: withAuditAccount("changed"),
      })}
      select
      from changed`,
    values: [userId, passwordHash, JSON.stringify(actor)],
  });
}
