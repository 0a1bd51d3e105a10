import type { Role } from "../accounts/role.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { AccountDatabase, Queryable } from "../db/database.ts";

export const invitationDays = 7;
const maxOpenInvitations = 200;

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  invitedBy: string | null;
  createdAt: string;
  expiresAt: string;
}

interface NewInvitation {
  id: string;
  email: string;
  role: Role;
  tokenHash: Buffer;
  /** Undefined for the operator. */
  invitedBy: string | undefined;
}

const columns = `id, email, role, invited_by as "invitedBy", created_at as "createdAt", expires_at as "expiresAt"`;

export type InsertOutcome =
  | { kind: "invited"; invitation: Invitation }
  | { kind: "not-owner" }
  | { kind: "is-member" }
  | { kind: "too-many" };

/** The lock on the inviter's membership makes a removal at the same time come first, or delete this invitation with the membership. */
export async function insertInvitation(db: AccountDatabase, invitation: NewInvitation): Promise<InsertOutcome> {
  const [row] = await db.query<Invitation & { isOwner: boolean; isMember: boolean }>({
    name: "insert-invitation",
    text: `
      with inviter as materialized (
        select user_id
        from memberships
        where account_id = $1
          and user_id = $6
          and role = 'owner'
          and not is_closed
        for share
      ), state as materialized (
        select $6::uuid is null or exists (select from inviter) as is_owner,
          exists (
            select
            from memberships m
            join users u on u.id = m.user_id
            where m.account_id = $1
              and u.email = lower($3)
          ) as is_member,
          (select count(*) from invitations where account_id = $1 and email <> lower($3)) as others
      ), invited as (
        insert into invitations as i (id, account_id, email, role, token_hash, invited_by, expires_at)
        select $2, $1, lower($3), $4, $5, $6, now() + make_interval(days => $7)
        from state
        where is_owner
          and not is_member
          and others < $8
        on conflict (account_id, email) do update
        set id = $2, role = $4, token_hash = $5, invited_by = $6, created_at = now(), expires_at = now() + make_interval(days => $7)
        returning ${columns}
      ), ${auditEntry({
        action: "invitation.create",
        actor: "$9",
        target: { kind: "invitation", id: "invited.id", name: "invited.email" },
        after: { email: "invited.email", role: "invited.role", expires_at: 'invited."expiresAt"' },
        from: "invited",
      })}
      select state.is_owner as "isOwner", state.is_member as "isMember", invited.*
      from state
      left join invited on true`,
    values: [
      db.accountId,
      invitation.id,
      invitation.email,
      invitation.role,
      invitation.tokenHash,
      invitation.invitedBy ?? null,
      invitationDays,
      maxOpenInvitations,
      JSON.stringify(db.actor),
    ],
  });
  if (row === undefined) throw new Error("the statement that invites returned no row");
  const { isOwner, isMember, ...invited } = row;
  if (!isOwner) return { kind: "not-owner" };
  if (isMember) return { kind: "is-member" };
  return invited.id === null ? { kind: "too-many" } : { kind: "invited", invitation: invited };
}

/** Newest first. */
export async function listInvitations(db: AccountDatabase): Promise<Invitation[]> {
  return db.query<Invitation>({
    name: "list-invitations",
    text: `
      select ${columns}
      from invitations
      where account_id = $1
        and expires_at > now()
      order by created_at desc, id
      limit ${maxOpenInvitations}`,
    values: [db.accountId],
  });
}

export async function deleteInvitation(db: AccountDatabase, id: string): Promise<boolean> {
  const rows = await db.query({
    name: "delete-invitation",
    text: `
      with deleted as (
        delete from invitations
        where account_id = $1
          and id = $2
        returning id, email, role
      ), ${auditEntry({
        action: "invitation.revoke",
        actor: "$3",
        target: { kind: "invitation", id: "deleted.id", name: "deleted.email" },
        before: { email: "deleted.email", role: "deleted.role" },
        from: "deleted",
      })}
      select id
      from deleted`,
    values: [db.accountId, id, JSON.stringify(db.actor)],
  });
  return rows.length === 1;
}

/** Returns how many rows it deleted, at most `limit`. */
export async function deleteExpiredInvitations(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query({
    name: "delete-expired-invitations",
    text: `
      delete from invitations
      where id in (
        select id
        from invitations
        where expires_at <= now()
        order by expires_at
        limit $1
        for update skip locked
      )
      returning id`,
    values: [limit],
  });
  return rows.length;
}
