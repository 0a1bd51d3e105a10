import { uuidArray } from "../db/array-param.ts";
import type { Queryable } from "../db/database.ts";

/** An open login, as its user sees it. */
export interface OpenSession {
  id: string;
  device: string | null;
  address: string | null;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}

/** The sessions of one person, in all accounts. A login belongs to a user and not to an account, so no account limits the statement. */
export function listSessions(db: Queryable, userId: string): Promise<OpenSession[]> {
  return db.query({
    name: "list-sessions",
    text: `
      select id, device, address, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
      from logins
      where user_id = $1
        and expires_at > now()
      order by last_used_at desc, id`,
    values: [userId],
  });
}

/** Ends those of the sessions that are the user's own. */
export async function endSessions(db: Queryable, userId: string, loginIds: string[]): Promise<void> {
  await db.query({
    name: "end-sessions",
    text: `
      delete from logins
      where id = any($2::uuid[])
        and user_id = $1`,
    values: [userId, uuidArray(loginIds)],
  });
}

/** Returns false when the user has no such session. Its tokens stop working with the commit. */
export async function endSession(db: Queryable, userId: string, loginId: string): Promise<boolean> {
  const rows = await db.query({
    name: "end-session",
    text: `
      delete from logins
      where id = $2
        and user_id = $1
      returning id`,
    values: [userId, loginId],
  });
  return rows.length === 1;
}

/**
 * Ends all sessions of the user except this one, and returns how many there were. Keeps the one that this one comes from by a switch of
 * the account: this one would end with it.
 */
export async function endOtherSessions(db: Queryable, userId: string, loginId: string): Promise<number> {
  const rows = await db.query({
    name: "end-other-sessions",
    text: `
      with others as materialized (
        select id
        from logins
        where user_id = $1
          and id <> $2
          and id is distinct from (select origin_id from logins where id = $2)
        order by id
        for update
      )
      delete from logins
      where id in (select id from others)
      returning id`,
    values: [userId, loginId],
  });
  return rows.length;
}
