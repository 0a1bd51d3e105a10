import { emailOf } from "../accounts/user-store.ts";
import { auditEntry } from "../audit/audit-entry.ts";
import type { Queryable, Transaction } from "../db/database.ts";
import { addressOf, type Client, deviceOf, userAt } from "./client.ts";
import { maxLoginsPerUser } from "./login-store.ts";

/** The issuer decides again after this time whether the person still has access. A refresh does not prolong it. */
export const oidcLoginHours = 12;

interface OidcLogin {
  id: string;
  userId: string;
  accountId: string;
  nonce: Buffer;
  client: Client;
}

/** Like `insertLogin`, without a password: the transaction has locked the user. False when the person is no member of the account. */
export async function insertOidcLogin(tx: Transaction, login: OidcLogin): Promise<boolean> {
  const rows = await tx.query({
    name: "insert-oidc-login",
    text: `
      with member as materialized (
        select user_id, account_id
        from memberships
        where user_id = $2
          and account_id = $3
        for share
      ), old as (
        delete from logins
        where user_id = $2
          and (expires_at <= now()
            or id in (select id from logins where user_id = $2 order by created_at desc offset $5))
      ), login as (
        insert into logins (id, user_id, account_id, expires_at, device, address, is_browser)
        select $1, user_id, account_id, now() + make_interval(hours => $6), $7, $8, true
        from member
        returning id, user_id, account_id
      ), ${auditEntry({
        action: "log-in",
        actor: "$9",
        account: "login.account_id",
        target: { kind: "user", id: "login.user_id", name: emailOf("login.user_id") },
        after: { session_id: "login.id", by: "'oidc'" },
        from: "login",
      })}
      insert into refresh_tokens (login_id, nonce)
      select id, $4
      from login
      returning login_id`,
    values: [
      login.id,
      login.userId,
      login.accountId,
      login.nonce,
      maxLoginsPerUser - 1,
      oidcLoginHours,
      deviceOf(login.client),
      addressOf(login.client),
      JSON.stringify(userAt(login.client, login.userId)),
    ],
  });
  return rows.length === 1;
}

/**
 * False for a session of an OIDC user whose log-in is older than `minutes`. The end of a session tells when the log-in was: a refresh and a
 * switch to another account keep it.
 */
export async function isRecentUnlessOidc(db: Queryable, loginId: string, minutes: number): Promise<boolean> {
  const rows = await db.query({
    name: "is-recent-unless-oidc",
    text: `
      select
      from logins
      join users on users.id = logins.user_id
      where logins.id = $1
        and (not users.is_oidc or logins.expires_at > now() + make_interval(hours => $2, mins => -$3::integer))`,
    values: [loginId, oidcLoginHours, minutes],
  });
  return rows.length === 1;
}
