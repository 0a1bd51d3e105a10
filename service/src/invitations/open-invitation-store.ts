import type { Role } from "../accounts/role.ts";
import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable, Transaction } from "../db/database.ts";

export interface OpenInvitation {
  email: string;
  accountId: string;
  accountName: string;
  role: Role;
  isSuspended: boolean;
}

/** SQL: the invitation has not expired, and the person who invited is still an owner. A removal deletes it, a demotion does not. */
const isOpen = `
  i.expires_at > now()
  and (i.invited_by is null or exists (
    select
    from memberships m
    where m.user_id = i.invited_by
      and m.account_id = i.account_id
      and m.role = 'owner'
      and not m.is_closed
  ))`;

/** SQL: the entry of a person who joins by an invitation, from the rows of `used` and `joined`. */
function acceptedEntry(actor: string): string {
  return auditEntry({
    action: "invitation.accept",
    actor,
    account: "used.account_id",
    target: { kind: "invitation", id: "used.id", name: "used.email" },
    after: { user_id: "$2::uuid", role: "joined.role" },
    from: "used cross join joined",
  });
}

/** Searches all accounts: the token names the account. */
export async function findOpenInvitation(db: Queryable, tokenHash: Buffer): Promise<OpenInvitation | undefined> {
  const [row] = await db.query<OpenInvitation>({
    name: "find-open-invitation",
    text: `
      select i.email, i.account_id as "accountId", a.name as "accountName", i.role, a.suspended_at is not null as "isSuspended"
      from invitations i
      join accounts a on a.id = i.account_id
      where i.token_hash = $1
        and ${isOpen}`,
    values: [tokenHash],
  });
  return row;
}

/**
 * Uses up the invitation and adds the membership in one statement; of two uses at once, the second finds no row. The user has the invited
 * address and, where `passwordHash` is given, still the password that was checked. A user who logs in by OIDC has no address of this kind.
 * Returns the role of the membership: a person who became a member meanwhile keeps that role. Undefined when the invitation is not open
 * any more.
 */
export async function joinByInvitation(
  db: Queryable,
  { tokenHash, userId, passwordHash }: { tokenHash: Buffer; userId: string; passwordHash: string | undefined },
  actor: Actor,
): Promise<Role | undefined> {
  const [row] = await db.query<{ role: Role }>({
    name: "join-by-invitation",
    text: `
      with used as (
        delete from invitations i
        using users u
        where i.token_hash = $1
          and u.id = $2
          and u.email = i.email
          and not u.is_oidc
          and ($3::text is null or u.password_hash = $3)
          and ${isOpen}
        returning i.id, i.account_id, i.role, i.email
      ), joined as (
        insert into memberships (user_id, account_id, role)
        select $2, account_id, role
        from used
        -- Changes nothing, but returns the row also when another transaction has just added it.
        on conflict (user_id, account_id) do update set role = memberships.role
        returning role
      ), ${acceptedEntry("$4")}
      select role
      from joined`,
    values: [tokenHash, userId, passwordHash ?? null, JSON.stringify(actor)],
  });
  return row?.role;
}

/** The same for a person who is not a user yet. `email-taken` must roll back: the invitation is used up, and nobody joined. */
export async function addUserByInvitation(
  tx: Transaction,
  { tokenHash, userId, passwordHash }: { tokenHash: Buffer; userId: string; passwordHash: string },
  actor: Actor,
): Promise<"joined" | "not-open" | "email-taken"> {
  const [row] = await tx.query<{ isJoined: boolean }>({
    name: "add-user-by-invitation",
    text: `
      with used as (
        delete from invitations i
        where i.token_hash = $1
          and ${isOpen}
        returning i.id, i.account_id, i.role, i.email
      ), added as (
        insert into users (id, account_id, email, password_hash)
        select $2, case when role = 'owner' then account_id end, email, $3
        from used
        on conflict (email) do nothing
        returning id
      ), joined as (
        insert into memberships (user_id, account_id, role)
        select added.id, used.account_id, used.role
        from added
        cross join used
        returning role
      ), ${acceptedEntry("$4")}
      select exists (select from added) as "isJoined"
      from used`,
    values: [tokenHash, userId, passwordHash, JSON.stringify(actor)],
  });
  if (row === undefined) return "not-open";
  return row.isJoined ? "joined" : "email-taken";
}
