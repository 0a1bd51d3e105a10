import { emailOf } from "../accounts/user-store.ts";
import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
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

interface EndOfSessions {
  /** `session.replace`: the cookie of another session replaces theirs in the browser. */
  action: "log-out" | "session.end" | "session.end-stolen" | "session.replace";
  actor: Actor;
  /** Ends only sessions of this user. */
  ofUser?: string;
}

/** Those that come from them by a switch of the account end too. Each account that loses one of them gets one entry. */
export async function endSessions(
  db: Queryable,
  loginIds: string[],
  { action, actor, ofUser }: EndOfSessions,
): Promise<void> {
  if (loginIds.length === 0) return;
  await db.query({
    name: action,
    text: `
      with ended as (
        delete from logins
        where id in (
            select unnest($1::uuid[])
            union
            select switched.id from logins switched where switched.origin_id = any($1::uuid[])
          )
          and ($2::uuid is null or user_id = $2)
        returning id, user_id, account_id
      ), in_account as (
        select user_id, account_id, jsonb_agg(id order by id) as session_ids
        from ended
        group by user_id, account_id
      ), ${auditEntry({
        action,
        actor: "$3",
        account: "in_account.account_id",
        target: { kind: "user", id: "in_account.user_id", name: emailOf("in_account.user_id") },
        before: { session_ids: "in_account.session_ids" },
        from: "in_account",
      })}
      select
      from ended`,
    values: [uuidArray(loginIds), ofUser ?? null, JSON.stringify(actor)],
  });
}

/** Returns false when the user has no such session. Its tokens stop working with the commit. */
export async function endSession(
  db: Queryable,
  { userId, actor }: { userId: string; actor: Actor },
  loginId: string,
): Promise<boolean> {
  const rows = await db.query({
    name: "end-session",
    text: `
      with ended as (
        delete from logins
        where id = $2
          and user_id = $1
        returning id, user_id, account_id, device
      ), ${auditEntry({
        action: "session.end",
        actor: "$3",
        account: "ended.account_id",
        target: { kind: "user", id: "ended.user_id", name: emailOf("ended.user_id") },
        before: { session_id: "ended.id", device: "ended.device" },
        from: "ended",
      })}
      select id
      from ended`,
    values: [userId, loginId, JSON.stringify(actor)],
  });
  return rows.length === 1;
}

/**
 * Ends all sessions of the user except this one, and returns how many there were. Keeps the one that this one comes from by a switch of
 * the account: this one would end with it. They have one entry, in the account of this one, and stay if this one has ended meanwhile; none
 * without an actor, as a part of another action.
 */
export async function endOtherSessions(
  db: Queryable,
  { userId, loginId, actor }: { userId: string; loginId: string; actor?: Actor },
): Promise<number> {
  const rows = await db.query({
    name: "end-other-sessions",
    text: `
      with others as materialized (
        select id
        from logins
        where user_id = $1
          and id <> $2
          and id is distinct from (select origin_id from logins where id = $2)
          and ($3::jsonb is null or exists (select from logins where id = $2))
        order by id
        for update
      ), ended as (
        delete from logins
        where id in (select id from others)
        returning id
      ), ${auditEntry({
        action: "session.end-others",
        actor: "$3",
        account: "current.account_id",
        target: { kind: "user", id: "home.id", name: "home.email" },
        before: { sessions: "(select count(*) from ended)" },
        from: `users home
        join logins current on current.id = $2
        where home.id = $1
          and $3::jsonb is not null
          and exists (select from ended)`,
      })}
      select id
      from ended`,
    values: [userId, loginId, actor === undefined ? null : JSON.stringify(actor)],
  });
  return rows.length;
}
