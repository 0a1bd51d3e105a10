import { shownEmail } from "../accounts/user-store.ts";
import type { Queryable } from "../db/database.ts";

/** What a notice is about. `key` names the cause and its day: one notice goes to each audience for it. */
export interface Cause {
  kind: "account-held" | "domain-failing" | "key-expiring" | "webhook-failing" | "webhook-disabled";
  key: string;
  accountId: string;
  accountName: string;
  /** The reason of the guard, the name of the domain or of the API key, or the host of the webhook. */
  subject: string;
  /** When a failing domain stops working, a key expires, a webhook began to fail or was disabled; empty for a hold. */
  at: string;
  /** Owners and developers of the account, at most 50. A viewer cannot act on a notice. */
  emails: string[];
}

/** An API key that lives shorter than this is made for a short use; its end is no surprise. */
const minKeyLifeDays = 14;
/** A domain loses its verification after so many hours without its records (domains/verification-rule.ts). */
const graceHours = 72;

/**
 * Serves all accounts except those that are suspended or on their way to another cell; at most `limit` causes of each kind, the most urgent first.
 *
 * 1. An account that the guard held within the last day, once for each day of a hold.
 * 2. A verified domain whose records have been missing for an hour and two checks, once a day.
 * 3. An API key that expires within 7 days, and once more within one day.
 * 4. A webhook that has failed for a day, once for each time it began to fail.
 * 5. A webhook that Postern disabled within the last day: it failed for too long, or answered 410. Once a day, and only if it is older than a
 *    day: an account that makes new webhooks, or enables one again and again, gets ten such mails a day at most.
 */
export async function findCauses(db: Queryable, limit: number): Promise<Cause[]> {
  return db.query<Cause>({
    name: "find-notice-causes",
    text: `
      with causes as (
        (
          select 'account-held' as kind, 'held:' || id || ':' || ${day("guard_held_at")} as key, id as account_id,
            guard_reason as subject, null::timestamptz as at
          from accounts
          where guard_held_at > now() - interval '1 day'
          order by guard_held_at desc
          limit $1
        )
        union all
        (
          select 'domain-failing', 'failing:' || id || ':' || ${day("now()")}, account_id, domain_name,
            failing_since + interval '${graceHours} hours'
          from domains
          where failing_since < now() - interval '1 hour' and last_checked_at > failing_since + interval '30 minutes'
            and verification_status = 'Success'
          order by failing_since
          limit $1
        )
        union all
        (
          select 'key-expiring',
            'expiring:' || id || ':' || case when expires_at < now() + interval '1 day' then 'tomorrow' else 'week' end,
            account_id, name, expires_at
          from api_keys
          where expires_at > now() and expires_at < now() + interval '7 days' and revoked_at is null
            and expires_at - created_at >= interval '${minKeyLifeDays} days'
          order by expires_at
          limit $1
        )
        union all
        (
          select 'webhook-failing', 'webhook-failing:' || id || ':' || ${second("failing_since")}, account_id, ${host}, failing_since
          from webhook_endpoints
          where failing_since < now() - interval '1 day' and disabled_at is null
          order by failing_since desc
          limit $1
        )
        union all
        (
          select 'webhook-disabled', 'webhook-disabled:' || id || ':' || ${day("disabled_at")}, account_id, ${host}, disabled_at
          from webhook_endpoints
          where disabled_at > now() - interval '1 day' and disabled_reason in ('failing', 'gone') and created_at < now() - interval '1 day'
          order by disabled_at desc
          limit $1
        )
      )
      select causes.kind, causes.key, a.id as "accountId", a.name as "accountName", causes.subject,
        coalesce(to_char(causes.at at time zone 'utc', 'YYYY-MM-DD HH24:MI'), '') as at,
        array(
          select ${shownEmail("u")}
          from memberships m
          join users u on u.id = m.user_id
          where m.account_id = a.id
            and (not u.is_oidc or u.contact_email is not null)
            and m.role in ('owner', 'developer')
            and not m.is_closed
          order by m.role = 'owner' desc, m.created_at, m.user_id
          limit 50
        ) as emails
      from causes
      join accounts a on a.id = causes.account_id and a.suspended_at is null
      where a.id not in (select account_id from moving_accounts)
      order by causes.kind, causes.at nulls first`,
    values: [limit],
  });
}

/** Without the rest of the URL, which can hold a credential. The pattern takes what is between the scheme and a port, a path or a query. */
const host = "coalesce(substring(url from '^[a-z]+://([^/:?#]+)'), 'a webhook')";

function second(time: string): string {
  return `extract(epoch from ${time})::int8`;
}

function day(time: string): string {
  return `to_char(${time} at time zone 'utc', 'YYYY-MM-DD')`;
}

/** The account with this verified domain, if its live mail goes out. Mail of a stopped account would only wait. */
export async function findSystemAccount(db: Queryable, domain: string): Promise<string | undefined> {
  const [row] = await db.query<{ accountId: string }>({
    name: "find-system-account",
    text: `
      select d.account_id as "accountId"
      from domains d
      join accounts a on a.id = d.account_id
      where d.domain_name = $1 and d.verification_status = 'Success'
        and a.suspended_at is null and a.held_at is null and a.guard_held_at is null
        and a.id not in (select account_id from moving_accounts)`,
    values: [domain],
  });
  return row?.accountId;
}
