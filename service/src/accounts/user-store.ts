import type { Queryable, Transaction } from "../db/database.ts";

export interface User {
  id: string;
  accountId: string;
  passwordHash: string;
  isSuspended: boolean;
}

/** Returns false when another user already has this email. */
export async function insertUser(
  tx: Transaction,
  user: { id: string; accountId: string; email: string; passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query({
    name: "insert-user",
    text: `
      insert into users (id, account_id, email, password_hash)
      values ($1, $2, lower($3), $4)
      on conflict (email) do nothing
      returning id`,
    values: [user.id, user.accountId, user.email, user.passwordHash],
  });
  return rows.length === 1;
}

/** Searches all accounts: an email is unique in the installation, and a log-in request names no account. */
export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [row] = await db.query<User>({
    name: "find-user-by-email",
    text: `
      select users.id, users.account_id as "accountId", users.password_hash as "passwordHash",
        accounts.suspended_at is not null as "isSuspended"
      from users
      join accounts on accounts.id = users.account_id
      where users.email = lower($1)`,
    values: [email],
  });
  return row;
}

export async function setPasswordHash(tx: Transaction, userId: string, passwordHash: string): Promise<void> {
  await tx.query({
    name: "set-password-hash",
    text: `
      update users
      set password_hash = $2
      where id = $1`,
    values: [userId, passwordHash],
  });
}
