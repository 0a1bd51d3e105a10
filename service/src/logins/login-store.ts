import type { Role } from "../accounts/role.ts";
import type { Actor } from "../actor.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import { uuidArray } from "../db/array-param.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { addressOf, type Client, deviceOf, userAt } from "./client.ts";
import type { UsedCode } from "./totp-store.ts";

export const loginDays = 30;
/** A further login deletes the user's oldest one. Without a bound a script could fill the table. */
const maxLoginsPerUser = 100;

interface NewLogin {
  id: string;
  userId: string;
  accountId: string;
  nonce: Buffer;
  passwordHash: string;
  usedCode?: UsedCode | undefined;
  client: Client;
}

/**
 * Stores a login with its first refresh token, deletes the user's expired logins and returns the current time in seconds.
 * Returns undefined when the password has changed since it was checked: a reset also ends logins that are in progress. So does the removal
 * of the member: without the lock on the membership, the foreign key would fail instead.
 *
 * Uses up the TOTP code or the recovery code. Of two log-ins with one code the second waits for the lock on the user, and then finds the
 * step used or the recovery code deleted.
 */
export async function insertLogin(db: Queryable, login: NewLogin): Promise<number | undefined> {
  const [row] = await db.query<{ now: number }>({
    name: "insert-login",
    text: `
      with unchanged as materialized (
        select users.id, memberships.account_id, users.email
        from users
        join memberships on memberships.user_id = users.id
        where users.id = $2
          and users.password_hash = $6
          and memberships.account_id = $7
          and case when users.totp_enabled_at is null then $10::bytea is null else users.totp_secret = $10 end
          and ($11::bigint is null or users.totp_last_step is null or users.totp_last_step < $11)
        for no key update of users
        for share of memberships
      ), used_step as (
        update users
        set totp_last_step = $11
        from unchanged
        where users.id = unchanged.id
          and $11 is not null
      ), used_recovery_code as (
        delete from recovery_codes
        where user_id in (select id from unchanged)
          and code_hash = $12
        returning user_id
      ), old as (
        delete from logins
        where user_id = $2
          and (expires_at <= now()
            or id in (select id from logins where user_id = $2 order by created_at desc offset $4))
      ), login as (
        insert into logins (id, user_id, account_id, expires_at, device, address)
        select $1, id, account_id, now() + make_interval(days => $5), $8, $9
        from unchanged
        where $12::bytea is null or exists (select from used_recovery_code)
        returning id, user_id
      ), ${auditEntry({
        action: "log-in",
        actor: "$13",
        account: "unchanged.account_id",
        target: { kind: "user", id: "login.user_id", name: "unchanged.email" },
        after: {
          session_id: "login.id",
          second_factor:
            "case when $12::bytea is not null then 'recovery-code' when $11::bigint is not null then 'totp' end",
        },
        from: "login cross join unchanged",
      })}
      insert into refresh_tokens (login_id, nonce)
      select id, $3
      from login
      returning floor(extract(epoch from now()))::bigint as now`,
    values: [
      login.id,
      login.userId,
      login.nonce,
      maxLoginsPerUser - 1,
      loginDays,
      login.passwordHash,
      login.accountId,
      deviceOf(login.client),
      addressOf(login.client),
      login.usedCode?.secret ?? null,
      login.usedCode?.step ?? null,
      login.usedCode?.recoveryHash ?? null,
      JSON.stringify(userAt(login.client, login.userId)),
    ],
  });
  return row?.now;
}

/**
 * A login of the same person for another account. It ends when the login it comes from would have ended, so that switching cannot prolong a
 * stolen one. The locks make a password reset, a log-out or a removal at the same time come first or find this login.
 */
export async function insertLoginForAccount(
  db: Queryable,
  login: { id: string; accountId: string; nonce: Buffer; fromLoginId: string; client: Client },
): Promise<{ now: number; secondsLeft: number } | undefined> {
  const [row] = await db.query<{ now: number; secondsLeft: number }>({
    name: "insert-login-for-account",
    text: `
      with origin as materialized (
        select users.id, users.email, memberships.account_id, logins.expires_at, logins.account_id as from_account_id
        from logins
        join users on users.id = logins.user_id
        join memberships on memberships.user_id = users.id
        where logins.id = $4
          and logins.expires_at > now()
          and memberships.account_id = $2
        for share of users, memberships, logins
      ), old as (
        delete from logins
        where id in (
          select id
          from logins
          where user_id in (select id from origin)
            and id <> $4
          order by created_at desc
          offset $5
        )
      ), login as (
        insert into logins (id, user_id, account_id, expires_at, device, address)
        select $1, id, account_id, expires_at, $6, $7
        from origin
        returning id, user_id
      ), ${auditEntry({
        action: "account.switch",
        actor: "jsonb_build_object('kind', 'user', 'id', login.user_id, 'address', $7::text, 'requestId', $8::text)",
        account: "origin.account_id",
        target: { kind: "user", id: "login.user_id", name: "origin.email" },
        before: { account_id: "origin.from_account_id" },
        after: { account_id: "origin.account_id", session_id: "login.id" },
        from: "login cross join origin",
      })}
      insert into refresh_tokens (login_id, nonce)
      select id, $3
      from login
      returning floor(extract(epoch from now()))::bigint as now,
        (select floor(extract(epoch from expires_at - now()))::integer from origin) as "secondsLeft"`,
    values: [
      login.id,
      login.accountId,
      login.nonce,
      login.fromLoginId,
      maxLoginsPerUser - 2,
      deviceOf(login.client),
      addressOf(login.client),
      login.client.requestId ?? null,
    ],
  });
  return row;
}

export interface OpenLogin {
  userId: string;
  accountId: string;
  /** Of the user in this account, now: a token names no role. */
  role: Role;
  isSuspended: boolean;
  /** The account requires TOTP and the user has none. */
  needsTotp: boolean;
}

/** What an access token says about its login; both times in seconds since 1970. */
export interface TokenOfLogin {
  loginId: string;
  notBefore: number;
  expiresAt: number;
}

/**
 * Every request with a token asks this once: is the login open, which role has the user, is the account active and the token within its
 * lifetime?
 */
export async function findOpenLogins(db: Queryable, tokens: TokenOfLogin[]): Promise<(OpenLogin | undefined)[]> {
  const rows = await db.query<OpenLogin & { position: number }>({
    name: "find-open-logins",
    text: `
      select given.position::integer, login.*
      from unnest($1::uuid[], $2::float8[], $3::float8[]) with ordinality as given (id, not_before, expires_at, position)
      cross join lateral ${indexLookup(`
        select logins.user_id as "userId", logins.account_id as "accountId", member.role, member."isSuspended",
          member."needsTotp"
        from logins
        cross join lateral ${membershipOf("logins")} as member
        where logins.id = given.id
          and logins.expires_at > now()`)} as login
      where extract(epoch from now()) >= given.not_before
        and extract(epoch from now()) < given.expires_at`,
    values: [
      uuidArray(tokens.map(({ loginId }) => loginId)),
      tokens.map(({ notBefore }) => notBefore),
      tokens.map(({ expiresAt }) => expiresAt),
    ],
  });
  const logins = new Map(rows.map(({ position, ...login }) => [position - 1, login]));
  return tokens.map((_, position) => logins.get(position));
}

/** SQL: the membership that the login is for, and the state of its account. */
function membershipOf(login: string): string {
  return indexLookup(`
          select memberships.role, accounts.suspended_at is not null as "isSuspended",
            accounts.totp_required
              and exists (select from users where id = ${login}.user_id and totp_enabled_at is null) as "needsTotp"
          from memberships
          join accounts on accounts.id = memberships.account_id
          where memberships.user_id = ${login}.user_id
            and memberships.account_id = ${login}.account_id`);
}

/** `now` is in seconds since 1970; `secondsLeft` until the login ends. */
export interface LockedLogin extends OpenLogin {
  now: number;
  secondsLeft: number;
}

/** Locks the login until the commit, so that two uses of one refresh token are decided one after the other. */
export async function lockLogin(tx: Transaction, loginId: string): Promise<LockedLogin | undefined> {
  const [row] = await tx.query<LockedLogin>({
    name: "lock-login",
    text: `
      select logins.user_id as "userId", logins.account_id as "accountId", member.role, member."isSuspended",
        member."needsTotp", floor(extract(epoch from now()))::bigint as now,
        floor(extract(epoch from logins.expires_at - now()))::integer as "secondsLeft"
      from logins
      cross join lateral ${membershipOf("logins")} as member
      where logins.id = $1
        and logins.expires_at > now()
      for update of logins`,
    values: [loginId],
  });
  return row;
}

/** By log-out, or because its refresh token was stolen. */
export async function deleteLogin(
  db: Queryable,
  loginId: string,
  { action, actor }: { action: "log-out" | "session.end-stolen"; actor: Actor },
): Promise<void> {
  await db.query({
    name: action,
    text: `
      with ended as (
        delete from logins
        where id = $1
        returning id, user_id, account_id
      ), ${auditEntry({
        action,
        actor: "$2",
        account: "ended.account_id",
        target: { kind: "user", id: "ended.user_id", name: emailOf("ended.user_id") },
        before: { session_id: "ended.id" },
        from: "ended",
      })}
      select
      from ended`,
    values: [loginId, JSON.stringify(actor)],
  });
}

/** SQL. */
export function emailOf(userId: string): string {
  return `(select email from users where id = ${userId})`;
}

export async function deleteLoginsOfUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query({
    name: "delete-logins-of-user",
    text: `
      delete from logins
      where user_id = $1`,
    values: [userId],
  });
}
