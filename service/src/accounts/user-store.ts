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
}

interface NewUser {
  id: string;
  /** The home account. */
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
        values ($1, $2, lower($3), $4)
        on conflict (email) do nothing
        returning id, account_id
      )
      insert into memberships (user_id, account_id, role)
      select id, account_id, $5
      from added
      returning user_id`,
    values: [user.id, user.accountId, user.email, user.passwordHash, user.role],
  });
  return rows.length === 1;
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
        coalesce(opened.is_suspended, false) as "isSuspended"
      from users
      left join lateral ${indexLookup(`
        select m.account_id, a.suspended_at is not null as is_suspended
        from memberships m
        join accounts a on a.id = m.account_id
        where m.user_id = users.id
        order by a.suspended_at is not null, m.account_id = users.account_id desc, m.created_at, m.account_id
        limit 1`)} opened on true
      where users.email = lower($1)`,
    values: [email],
  });
  return row;
}

export async function getEmail(db: Queryable, userId: string): Promise<string> {
  const [row] = await db.query<{ email: string }>({
    name: "get-email",
    text: `
      select email
      from users
      where id = $1`,
    values: [userId],
  });
  if (row === undefined) throw new AppError("NOT_FOUND", "This user no longer exists.");
  return row.email;
}

/** SQL: the account whose audit gets what concerns the user alone: the one that a log-in opens, or the home account of a former member. */
export function auditAccountOf(user: string): string {
  return `coalesce((
          select m.account_id
          from memberships m
          join accounts a on a.id = m.account_id
          where m.user_id = ${user}.id
          order by a.suspended_at is not null, m.account_id = ${user}.account_id desc, m.created_at, m.account_id
          limit 1
        ), ${user}.account_id)`;
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
        account: auditAccountOf("changed"),
        target: { kind: "user", id: "changed.id", name: "changed.email" },
        from: "changed",
      })}
      select
      from changed`,
    values: [userId, passwordHash, JSON.stringify(actor)],
  });
}
