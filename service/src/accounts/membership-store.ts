import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";
import { violatesConstraint } from "../db/sql-state.ts";
import { AppError } from "../errors.ts";
import type { Role } from "./role.ts";
import { emailOf, shownEmail } from "./user-store.ts";

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
      select m.user_id as "userId", ${shownEmail("u")} as email, m.role, m.created_at as "createdAt"
      from memberships m
      join users u on u.id = m.user_id
      where m.account_id = $1
      order by m.created_at, m.user_id
      limit ${maxMembers}`,
    values: [db.accountId],
  });
}

interface MemberChange {
  userId: string;
  /** The owner who makes the change; undefined for the command line. */
  by?: string | undefined;
}

/**
 * SQL: locks what the change of the member $2 by the owner $3 concerns, each step after the one before, which its count completes:
 *
 * 1. The user, as a log-in does first.
 * 2. Invitations of the member's addresses, as joining by one does first.
 * 3. Both memberships in a fixed order, because owners can change each other.
 *
 * Then it finds out whether the owner still is one: the request was authenticated some time ago. Nobody but the operator and the command line
 * changes an operator: an owner who could remove one would end the operator's logins.
 */
const allowedChange = `
        person as materialized (
          select email, is_operator
          from lock_member($1, $2)
        ), invitation as materialized (
          select id
          from invitations
          where account_id = $1
            and (select count(email) from person) >= 0
            and email in ((select email from person), (select contact_email from users where id = $2))
          for update
        ), locked as materialized (
          select user_id, role, is_closed
          from memberships
          where account_id = $1
            and user_id in ($2, $3)
            and (select count(*) from invitation) >= 0
          order by user_id
          for update
        ), allowed as materialized (
          select $3::uuid is null or coalesce(bool_or(user_id = $3 and role = 'owner' and not is_closed), false) as is_owner,
            $3::uuid <> $2 and exists (select from person where is_operator) as is_protected
          from locked
        )`;

/** SQL: whether the change may happen. */
const isAllowed = "(select is_owner and is_protected is not true from allowed)";

interface Allowance {
  isOwner: boolean;
  isProtected: boolean | null;
}

function requireAllowed({ isOwner, isProtected }: Allowance): void {
  if (!isOwner) throw noLongerOwner();
  if (isProtected !== true) return;
  throw new AppError(
    "FORBIDDEN",
    "This member is an operator of the installation. Only the operator and the command line change or remove the membership.",
  );
}

/** From the next request of the member on, the new role decides. Undefined when the account has no such member. */
export async function changeRole(
  db: AccountDatabase,
  { userId, by, role }: MemberChange & { role: Role },
): Promise<Member | undefined> {
  const [row] = await keepingAnOwner(
    db.query<Allowance & (Member | Record<keyof Member, null>)>({
      name: "change-role",
      text: `
        with ${allowedChange}, changed as (
          update memberships m
          set role = $4
          from users u, locked old
          where m.account_id = $1
            and m.user_id = $2
            and u.id = m.user_id
            and old.user_id = m.user_id
            and ${isAllowed}
          returning m.user_id as "userId", ${shownEmail("u")} as email, m.role, m.created_at as "createdAt", old.role as old_role
        ), ${auditEntry({
          action: "member.role-change",
          actor: "$5",
          target: { kind: "member", id: 'changed."userId"', name: "changed.email" },
          before: { role: "changed.old_role" },
          after: { role: "changed.role" },
          from: "changed where changed.role <> changed.old_role",
        })}
        select is_owner as "isOwner", is_protected as "isProtected", changed."userId", changed.email, changed.role, changed."createdAt"
        from allowed
        left join changed on true`,
      values: [db.accountId, userId, by ?? null, role, JSON.stringify(db.actor)],
    }),
  );
  const { isOwner, isProtected, ...member } = row ?? { isOwner: false, isProtected: null, userId: null };
  requireAllowed({ isOwner, isProtected });
  return member.userId === null ? undefined : member;
}

/**
 * Ends the logins of the member in this account in the same commit, and the invitations that the member made: foreign keys delete them. An
 * invitation of the same address ends as well, or the removed person could come back by it. API keys that the member created stay.
 * False when the account has no such member.
 */
export async function removeMember(db: AccountDatabase, { userId, by }: MemberChange): Promise<boolean> {
  const [row] = await keepingAnOwner(
    db.query<Allowance & { isRemoved: boolean }>({
      name: "remove-member",
      text: `
        with ${allowedChange}, removed as (
          delete from memberships
          where account_id = $1
            and user_id = $2
            and ${isAllowed}
          returning user_id, role
        ), uninvited as (
          delete from invitations
          where id in (select id from invitation)
            and exists (select from removed)
        ), ${auditEntry({
          action: "member.remove",
          actor: "$4",
          target: { kind: "member", id: "removed.user_id", name: emailOf("removed.user_id") },
          before: { role: "removed.role" },
          from: "removed",
        })}
        select is_owner as "isOwner", is_protected as "isProtected", exists (select from removed) as "isRemoved"
        from allowed`,
      values: [db.accountId, userId, by ?? null, JSON.stringify(db.actor)],
    }),
  );
  requireAllowed(row ?? { isOwner: false, isProtected: null });
  return row?.isRemoved === true;
}

function noLongerOwner(): AppError {
  return new AppError("FORBIDDEN", "This needs the role owner, and you no longer have it in this account.");
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

/** Of one person in all accounts that a login can be for; the home account comes first. */
export async function listMemberships(db: Queryable, userId: string): Promise<Membership[]> {
  return db.query<Membership>({
    name: "list-memberships",
    text: `
      select m.account_id as "accountId", a.name as "accountName", m.role, a.suspended_at is not null as "isSuspended"
      from memberships m
      join accounts a on a.id = m.account_id
      join users u on u.id = m.user_id
      where m.user_id = $1
        and not m.is_closed
      order by m.account_id = u.account_id desc, m.created_at, m.account_id
      limit ${maxMembers}`,
    values: [userId],
  });
}
