import { uuidArray } from "../db/array-param.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import { indexLookup } from "../db/stable-plan.ts";
import { addressOf, type Client, deviceOf } from "./client.ts";

export const loginDays = 30;
/** A further login deletes the user's oldest one. Without a bound a script could fill the table. */
const maxLoginsPerUser = 100;

/**
 * Stores a login with its first refresh token, deletes the user's expired logins and returns the current time in seconds.
 * Returns undefined when the password has changed since it was checked: a reset also ends logins that are in progress.
 */
export async function insertLogin(
  db: Queryable,
  login: { id: string; userId: string; nonce: Buffer; passwordHash: string; client: Client },
): Promise<number | undefined> {
  const [row] = await db.query<{ now: number }>({
    name: "insert-login",
    text: `
      with unchanged as materialized (
        select id
        from users
        where id = $2
          and password_hash = $6
        for share
      ), old as (
        delete from logins
        where user_id = $2
          and (expires_at <= now()
            or id in (select id from logins where user_id = $2 order by created_at desc offset $4))
      ), login as (
        insert into logins (id, user_id, expires_at, device, address)
        select $1, id, now() + make_interval(days => $5), $7, $8
        from unchanged
        returning id
      )
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
      deviceOf(login.client),
      addressOf(login.client),
    ],
  });
  return row?.now;
}

export interface OpenLogin {
  userId: string;
  accountId: string;
  isSuspended: boolean;
}

/** What an access token says about its login; both times in seconds since 1970. */
export interface TokenOfLogin {
  loginId: string;
  notBefore: number;
  expiresAt: number;
}

/** Every request with a token asks this once: is the login open, the account active and the token within its lifetime? */
export async function findOpenLogins(db: Queryable, tokens: TokenOfLogin[]): Promise<(OpenLogin | undefined)[]> {
  const rows = await db.query<OpenLogin & { position: number }>({
    name: "find-open-logins",
    text: `
      select given.position::integer, login.*
      from unnest($1::uuid[], $2::float8[], $3::float8[]) with ordinality as given (id, not_before, expires_at, position)
      cross join lateral ${indexLookup(`
        select users.id as "userId", users.account_id as "accountId", accounts.suspended_at is not null as "isSuspended"
        from logins
        join users on users.id = logins.user_id
        join accounts on accounts.id = users.account_id
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
      select users.id as "userId", users.account_id as "accountId", accounts.suspended_at is not null as "isSuspended",
        floor(extract(epoch from now()))::bigint as now,
        floor(extract(epoch from logins.expires_at - now()))::integer as "secondsLeft"
      from logins
      join users on users.id = logins.user_id
      join accounts on accounts.id = users.account_id
      where logins.id = $1
        and logins.expires_at > now()
      for update of logins`,
    values: [loginId],
  });
  return row;
}

export async function deleteLogin(db: Queryable, loginId: string): Promise<void> {
  await db.query({
    name: "delete-login",
    text: `
      delete from logins
      where id = $1`,
    values: [loginId],
  });
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
