import type { Role } from "../accounts/role.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import { uuidArray } from "../db/array-param.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { addressOf, type Client, deviceOf, userAt } from "./client.ts";
import { type OperatorState, operatorState } from "./operator-login.ts";
import type { UsedCode } from "./totp-store.ts";

export const loginDays = 30;
/** A further login deletes the user's oldest one. Without a bound a script could fill the table. */
export const maxLoginsPerUser = 100;

interface NewLogin {
  id: string;
  userId: string;
  accountId: string;
  nonce: Buffer;
  passwordHash: string;
  usedCode?: UsedCode | undefined;
  client: Client;
  /** The refresh token goes into a cookie. */
  isBrowser?: boolean;
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
        insert into logins (id, user_id, account_id, expires_at, device, address, is_browser, totp_login_at)
        select $1, id, account_id, now() + make_interval(days => $5), $8, $9, $13, case when $11 is not null then now() end
        from unchanged
        where $12::bytea is null or exists (select from used_recovery_code)
        returning id, user_id
      ), ${auditEntry({
        action: "log-in",
        actor: "$14",
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
      login.isBrowser ?? false,
      JSON.stringify(userAt(login.client, login.userId)),
    ],
  });
  return row?.now;
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

export interface FoundLogin extends OpenLogin {
  /** Null unless the request needs an operator. */
  operator: OperatorState | null;
}

/** What an access token says about its login; both times in seconds since 1970. */
export interface TokenOfLogin {
  loginId: string;
  notBefore: number;
  expiresAt: number;
  /** The route is for operators only. */
  needsOperator: boolean;
}

/**
 * Every request with a token asks this once: is the login open, which role has the user, is the account active and the token within its
 * lifetime? May the user act as an operator, if the route needs one?
 */
export async function findOpenLogins(db: Queryable, tokens: TokenOfLogin[]): Promise<(FoundLogin | undefined)[]> {
  const rows = await db.query<FoundLogin & { position: number }>({
    name: "find-open-logins",
    text: `
      select given.position::integer, login.*
      from unnest($1::uuid[], $2::float8[], $3::float8[], $4::boolean[]) with ordinality
        as given (id, not_before, expires_at, needs_operator, position)
      cross join lateral ${indexLookup(`
        select logins.user_id as "userId", logins.account_id as "accountId", member.role, member."isSuspended",
          member."needsTotp",
          case when given.needs_operator then (
            select ${operatorState("logins", "users")}
            from users
            where users.id = logins.user_id
          ) end as operator
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
      tokens.map(({ needsOperator }) => needsOperator),
    ],
  });
  const logins = new Map(rows.map(({ position, ...login }) => [position - 1, login]));
  return tokens.map((_, position) => logins.get(position));
}

/** SQL: the membership that the login is for, and the state of its account. The issuer of an OIDC user asks for the second factor. */
export function membershipOf(login: string): string {
  return indexLookup(`
          select memberships.role, accounts.suspended_at is not null as "isSuspended",
            accounts.totp_required
              and exists (select from users where id = ${login}.user_id and totp_enabled_at is null and not is_oidc) as "needsTotp"
          from memberships
          join accounts on accounts.id = memberships.account_id
          where memberships.user_id = ${login}.user_id
            and memberships.account_id = ${login}.account_id`);
}

/** `now` is in seconds since 1970; `secondsLeft` until the login ends. */
export interface LockedLogin extends OpenLogin {
  now: number;
  secondsLeft: number;
  isBrowser: boolean;
  /** The login that this one comes from, by a switch of the account. */
  originId: string | null;
}

/** Locks the login until the commit, so that two uses of one refresh token are decided one after the other. */
export async function lockLogin(tx: Transaction, loginId: string): Promise<LockedLogin | undefined> {
  const [row] = await tx.query<LockedLogin>({
    name: "lock-login",
    text: `
      select logins.user_id as "userId", logins.account_id as "accountId", member.role, member."isSuspended",
        member."needsTotp", floor(extract(epoch from now()))::bigint as now,
        floor(extract(epoch from logins.expires_at - now()))::integer as "secondsLeft",
        logins.is_browser as "isBrowser", logins.origin_id as "originId"
      from logins
      cross join lateral ${membershipOf("logins")} as member
      where logins.id = $1
        and logins.expires_at > now()
      for update of logins`,
    values: [loginId],
  });
  return row;
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
