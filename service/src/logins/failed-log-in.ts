import { withAuditAccount } from "../accounts/user-store.ts";
import type { Queryable } from "../db/database.ts";
import { anonymousAt, type Client } from "./client.ts";
import type { LoginDeps } from "./login-deps.ts";
import { userBucket } from "./login-throttle.ts";

/**
 * Writes to the audit that a log-in of a known user failed: at most one entry for each user, minute and failure, because anyone can cause
 * them. The id of the entry is made of these, so further ones conflict. Unknown names are only counted.
 *
 * The audit of an account that moves to another cell, or has moved there, takes no entries.
 *
 * How long it takes must not show whether the name is known: both cases write, the unknown one to its count of attempts, and neither commit
 * waits for the disk or a standby. So a crash of PostgreSQL can lose the entries of the last second.
 */
export async function noteFailedLogin(
  db: Queryable,
  { throttle, countFailure }: Pick<LoginDeps, "throttle" | "countFailure">,
  attempt: Client & { email: string },
  failure: { wrong: "password" | "code" } | { missing: "code" },
): Promise<void> {
  const [row] = await db.query<{ isKnown: boolean }>({
    name: "note-failed-login",
    text: `
      with known as materialized (
        select id, email, account_id
        from users
        where email = lower($1)
      ), counted as (
        update login_attempts
        set attempts = attempts
        where bucket = $2
      ), audited as (
        insert into audit_entries (id, account_id, actor_kind, action, target_kind, target_id, target_name, after, address, request_id)
        select failed_login_id(known.id, $4::jsonb, now()), audit_account.account_id, $3::jsonb ->> 'kind', 'log-in.fail', 'user', known.id::text, known.email,
          $4::jsonb, $3::jsonb ->> 'address', $3::jsonb ->> 'requestId'
        from ${withAuditAccount("known")}
        where not is_moving_account(audit_account.account_id)
        on conflict (account_id, id) do nothing
      )
      select exists (select from known) as "isKnown", set_config('synchronous_commit', 'off', true)`,
    values: [
      attempt.email,
      userBucket(throttle, attempt),
      JSON.stringify(anonymousAt(attempt)),
      JSON.stringify(failure),
    ],
  });
  countFailure?.(row?.isKnown === true ? "known" : "unknown");
}
