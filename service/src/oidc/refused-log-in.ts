import { shownEmail, withAuditAccount } from "../accounts/user-store.ts";
import type { Transaction } from "../db/database.ts";
import { addressOf, type Client } from "../logins/client.ts";

/**
 * Writes to the audit that a log-in of a known user was refused after the issuer said who it is: at most one entry for each user, minute and
 * reason, like `noteFailedLogin`. It belongs to the account that a log-in would open, so it comes before the memberships are removed.
 */
export async function noteRefusedLogin(
  tx: Transaction,
  { userId, client }: { userId: string; client: Client },
  refused: "not-mapped" | "suspended",
): Promise<void> {
  await tx.query({
    name: "note-refused-login",
    text: `
      with known as materialized (
        select id, ${shownEmail("users")} as email, account_id
        from users
        where id = $1
      )
      insert into audit_entries (id, account_id, actor_kind, actor_id, actor_name, action, target_kind, target_id, target_name, after, address, request_id)
      select failed_login_id(known.id, $3::jsonb, now()), audit_account.account_id, 'user', known.id::text, known.email,
        'log-in.fail', 'user', known.id::text, known.email, $3::jsonb, $2, $4
      from ${withAuditAccount("known")}
      where not is_moving_account(audit_account.account_id)
      on conflict (account_id, id) do nothing`,
    values: [userId, addressOf(client), JSON.stringify({ by: "oidc", refused }), client.requestId ?? null],
  });
}
