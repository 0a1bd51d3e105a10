import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import { textArray, uuidArray } from "../db/array-param.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import type { Grant } from "./map-claims.ts";

/** Longer than a log-in may take at the issuer, so that its cookie expires first. */
const stateMinutes = 30;

/** False when a callback with this state has already come. */
export async function useState(db: Queryable, stateHash: Buffer): Promise<boolean> {
  const rows = await db.query({
    name: "use-oidc-state",
    text: `
      with past as (
        delete from used_oidc_states
        where state_hash in (
          select state_hash
          from used_oidc_states
          where expires_at <= now()
          order by expires_at
          limit 20
          for update skip locked
        )
      )
      insert into used_oidc_states (state_hash, expires_at)
      values ($1, now() + make_interval(mins => $2))
      on conflict (state_hash) do nothing
      returning state_hash`,
    values: [stateHash, stateMinutes],
  });
  return rows.length === 1;
}

/** The accounts that exist. The lock keeps them until the memberships are stored. */
export async function lockAccounts(tx: Transaction, accountIds: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>({
    name: "lock-granted-accounts",
    text: `
      select id
      from accounts
      where id = any($1::uuid[])
      order by id
      for key share`,
    values: [uuidArray(accountIds)],
  });
  return new Set(rows.map(({ id }) => id));
}

interface Person {
  issuer: string;
  subject: string;
}

/** Locks the user, so that two log-ins of one person run one after the other. */
export async function findUser(tx: Transaction, { issuer, subject }: Person): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>({
    name: "find-oidc-user",
    text: `
      select users.id
      from oidc_identities
      join users on users.id = oidc_identities.user_id
      where oidc_identities.issuer = $1
        and oidc_identities.subject = $2
      for no key update of users`,
    values: [issuer, subject],
  });
  return row?.id;
}

/**
 * False when another log-in has added the person in the meantime. The user has no home account: that is for owners, and code of the release
 * before, which knows neither roles nor OIDC, finds no user without it (migration 0036).
 */
export async function addUser(tx: Transaction, { issuer, subject }: Person, userId: string): Promise<boolean> {
  const rows = await tx.query({
    name: "add-oidc-user",
    text: `
      with identity as (
        insert into oidc_identities (issuer, subject, user_id)
        values ($1, $2, $3)
        on conflict (issuer, subject) do nothing
        returning user_id
      )
      insert into users (id, email, password_hash, is_oidc)
      select user_id, user_id || '@oidc.invalid', $4, true
      from identity
      returning id`,
    values: [issuer, subject, userId, noPassword],
  });
  return rows.length === 1;
}

/** The constraint `users_oidc_without_password` permits no other hash. */
const noPassword = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/**
 * Makes the memberships that log-ins gave equal to the grants, and stores the address for notices. Memberships that people gave stay. Of a
 * member whom an owner made an owner the role stays, but without a grant the membership is closed until a log-in grants it again. The logins
 * of a removed or closed membership end. Each account whose members changed gets an audit entry.
 */
export async function syncMember(
  tx: Transaction,
  userId: string,
  { grants, contactEmail }: { grants: Grant[]; contactEmail: string | undefined },
  actor: Actor,
): Promise<void> {
  await tx.query({
    name: "sync-oidc-member",
    text: `
      with granted as materialized (
        select account_id, role
        from unnest($2::uuid[], $3::text[]) as granted (account_id, role)
      ), old as materialized (
        select account_id, role, is_closed
        from memberships
        where user_id = $1
      ), removed as (
        delete from memberships
        where user_id = $1
          and from_oidc
          and role <> 'owner'
          and account_id not in (select account_id from granted)
        returning account_id, role
      ), closed as (
        update memberships
        set is_closed = true
        where user_id = $1
          and from_oidc
          and role = 'owner'
          and not is_closed
          and account_id not in (select account_id from granted)
        returning account_id
      ), ended as (
        delete from logins
        where user_id = $1
          and account_id in (select account_id from closed)
      ), logged_in as (
        update oidc_identities
        set last_login_at = now()
        where user_id = $1
      ), contact as (
        update users
        set contact_email = $4
        where id = $1
          and contact_email is distinct from $4
      ), given as (
        insert into memberships (user_id, account_id, role, from_oidc)
        select $1, account_id, role, true
        from granted
        on conflict (user_id, account_id) do update
        set role = case when memberships.role = 'owner' then 'owner' else excluded.role end, is_closed = false
        where memberships.from_oidc
          and (memberships.is_closed or memberships.role not in ('owner', excluded.role))
        returning account_id, role
      ), changes as materialized (
        select account_id, role as old_role, null::text as new_role, false as was_closed, false as is_closed
        from removed
        union all
        select given.account_id, old.role, given.role, coalesce(old.is_closed, false), false
        from given
        left join old on old.account_id = given.account_id
        union all
        select account_id, 'owner', 'owner', false, true
        from closed
      ), ${memberEntry("member.add", "old_role is null")},
      ${memberEntry("member.role-change", "old_role <> new_role")},
      ${memberEntry("member.remove", "new_role is null")},
      ${memberEntry("member.close", "is_closed")},
      ${memberEntry("member.open", "was_closed")}
      select
      from changes`,
    values: [
      userId,
      uuidArray(grants.map(({ accountId }) => accountId)),
      textArray(grants.map(({ role }) => role)),
      contactEmail?.toLowerCase() ?? null,
      JSON.stringify(actor),
    ],
  });
}

type MemberAction = "member.add" | "member.role-change" | "member.remove" | "member.close" | "member.open";

/** SQL: the entries of one kind of change, each in the audit of its account. The statement has just stored the address in `$4`. */
function memberEntry(action: MemberAction, condition: string): string {
  return auditEntry({
    step: `"${action}"`,
    action,
    actor: "$5",
    account: "changes.account_id",
    target: { kind: "member", id: "$1::uuid", name: "coalesce($4::text, (select email from users where id = $1))" },
    ...(action !== "member.add" && { before: { role: "old_role" } }),
    ...(action !== "member.remove" && { after: { role: "new_role" } }),
    from: `changes where ${condition}`,
  });
}
