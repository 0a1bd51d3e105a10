import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import { violatesConstraint } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import type { Role } from "./role.ts";

export interface Member {
  userId: string;
  email: string;
  role: Role;
  createdAt: string;
}

const maxMembers = 1000;

/** The first members come first. */
export async function listMembers(db: AccountDatabase): Promise<Member[]> {
  return db.query<Member>({
    name: "list-members",
    text: `
      select m.user_id as "userId", u.email, m.role, m.created_at as "createdAt"
      from memberships m
      join users u on u.id = m.user_id
      where m.account_id = $1
      order by m.created_at, m.user_id
      limit ${maxMembers}`,
    values: [db.accountId],
  });
}

/** From the next request of the member on, the new role decides. Undefined when the account has no such member. */
export async function changeRole(db: AccountDatabase, userId: string, role: Role): Promise<Member | undefined> {
  const [row] = await keepingAnOwner(
    db.query<Member>({
      name: "change-role",
      text: `
        with old as materialized (
          select user_id, role
          from memberships
          where account_id = $1
            and user_id = $2
          for no key update
        ), changed as (
          update memberships m
          set role = $3
          from old
          join users u on u.id = old.user_id
          where m.account_id = $1
            and m.user_id = old.user_id
          returning m.user_id as "userId", u.email, m.role, m.created_at as "createdAt", old.role as old_role
        ), ${auditEntry({
          action: "member.role-change",
          actor: "$4",
          target: { kind: "member", id: 'changed."userId"', name: "changed.email" },
          before: { role: "changed.old_role" },
          after: { role: "changed.role" },
          from: "changed where changed.role <> changed.old_role",
        })}
        select "userId", email, role, "createdAt"
        from changed`,
      values: [db.accountId, userId, role, JSON.stringify(db.actor)],
    }),
  );
  return row;
}

/**
 * Ends the logins of the member in this account in the same commit, and the invitations that the member made: foreign keys delete them. An
 * invitation of the same address ends as well, or the removed person could come back by it. API keys that the member created stay.
 * False when the account has no such member.
 */
export async function removeMember(db: AccountDatabase, userId: string): Promise<boolean> {
  const rows = await keepingAnOwner(
    db.query({
      name: "remove-member",
      text: `
        with removed as (
          delete from memberships
          where account_id = $1
            and user_id = $2
          returning user_id, role
        ), uninvited as (
          delete from invitations
          where account_id = $1
            and email in (select u.email from removed join users u on u.id = removed.user_id)
        ), ${auditEntry({
          action: "member.remove",
          actor: "$3",
          target: {
            kind: "member",
            id: "removed.user_id",
            name: "(select email from users where id = removed.user_id)",
          },
          before: { role: "removed.role" },
          from: "removed",
        })}
        select user_id
        from removed`,
      values: [db.accountId, userId, JSON.stringify(db.actor)],
    }),
  );
  return rows.length === 1;
}

/** A trigger refuses to remove or demote the last owner, also when two owners remove each other at the same time. */
async function keepingAnOwner<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    if (!violatesConstraint(error, "memberships_owner_remains")) throw error;
    throw new AppError(
      "CONFLICT",
      "An account needs at least one owner, and this is the last one. Make another member an owner first.",
      { cause: error },
    );
  }
}

export interface Membership {
  accountId: string;
  accountName: string;
  role: Role;
  isSuspended: boolean;
}

/** Of one person in all accounts; the home account comes first. */
export async function listMemberships(db: Queryable, userId: string): Promise<Membership[]> {
  return db.query<Membership>({
    name: "list-memberships",
    text: `
      select m.account_id as "accountId", a.name as "accountName", m.role, a.suspended_at is not null as "isSuspended"
      from memberships m
      join accounts a on a.id = m.account_id
      join users u on u.id = m.user_id
      where m.user_id = $1
      order by m.account_id = u.account_id desc, m.created_at, m.account_id
      limit ${maxMembers}`,
    values: [userId],
  });
}
