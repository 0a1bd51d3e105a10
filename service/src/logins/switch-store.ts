import { emailOf } from "../accounts/user-store.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Transaction } from "../db/database.ts";
import { addressOf, type Client, deviceOf, userAt } from "./client.ts";
import { maxLoginsPerUser } from "./login-store.ts";

/** A statement that changes the password or TOTP locks the user before the logins. So does a switch, which would deadlock otherwise. */
export async function shareUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query({
    name: "share-user",
    text: `
      select id
      from users
      where id = $1
      for share`,
    values: [userId],
  });
}

interface SwitchedLogin {
  id: string;
  userId: string;
  accountId: string;
  nonce: Buffer;
  fromLoginId: string;
  originId: string | null;
  isBrowser: boolean;
  client: Client;
}

/**
 * A login of the same person for another account. It ends when the login it comes from would have ended, and is as old for an operator, so
 * that switching cannot prolong a stolen one. The caller has locked both the user and that login. Undefined for a person who is not a member of the account.
 */
export async function insertSwitchedLogin(
  tx: Transaction,
  login: SwitchedLogin,
): Promise<{ now: number; secondsLeft: number } | undefined> {
  const [row] = await tx.query<{ now: number; secondsLeft: number }>({
    name: "insert-switched-login",
    text: `
      with origin as materialized (
        select logins.user_id, memberships.account_id, logins.expires_at, logins.totp_login_at
        from logins
        join memberships on memberships.user_id = logins.user_id
        where logins.id = $4
          and memberships.account_id = $2
        for share of memberships
      ), old as (
        delete from logins
        where id in (
          select id
          from logins
          where user_id in (select user_id from origin)
            and id <> $4
            and id is distinct from $8
          order by created_at desc
          offset $5
        )
      ), login as (
        insert into logins (id, user_id, account_id, expires_at, device, address, origin_id, is_browser, totp_login_at)
        select $1, user_id, account_id, expires_at, $6, $7, $8, $9, totp_login_at
        from origin
        returning id, user_id
      ), ${auditEntry({
        action: "account.switch",
        actor: "$10",
        account: "origin.account_id",
        target: { kind: "user", id: "login.user_id", name: emailOf("login.user_id") },
        // Without the account before, which may be one of another customer.
        after: { session_id: "login.id" },
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
      maxLoginsPerUser - 3,
      deviceOf(login.client),
      addressOf(login.client),
      login.originId,
      login.isBrowser,
      JSON.stringify(userAt(login.client, login.userId)),
    ],
  });
  return row;
}
