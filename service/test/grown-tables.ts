import type { Database } from "../src/db/database.ts";
import { type HotFixture, hotDomain } from "./hot-statements.ts";

/** What an account, or many accounts, can have in great number. Each statement inserts `$1` rows. */
const growths = (fixture: HotFixture): { name: string; text: string; values: unknown[] }[] => {
  const { accountId, userId, loginId } = fixture;
  return [
    {
      name: "suppressions of the account",
      text: `
        insert into suppressions (id, account_id, mode, email, reason)
        select new_id_at(now()), $2, 'live', 'grown-' || number || '@example.test', 'hard_bounce'
        from generate_series(1, $1::integer) as number`,
      values: [accountId],
    },
    {
      name: "domains of the account",
      text: `
        insert into domains (account_id, domain_name, challenge_token, configuration_set_name)
        select $2, 'grown-' || number || '.test', 'token', 'set'
        from generate_series(1, $1::integer) as number`,
      values: [accountId],
    },
    {
      name: "accounts, each with the same domain",
      text: `
        with added as (
          insert into accounts (id, name)
          select gen_random_uuid(), 'Grown'
          from generate_series(1, $1::integer)
          returning id
        )
        insert into domains (account_id, domain_name, challenge_token, configuration_set_name, identity_arn, dkim_tokens, dkim_zone,
          registered_at)
        select id, $2, 'token', 'set', 'arn', '{}', 'zone', now()
        from added`,
      values: [hotDomain],
    },
    {
      name: "API keys of the account",
      text: `
        insert into api_keys (account_id, id, name, type, key_prefix, pepper_id, secret_hmac)
        select $2, gen_random_uuid(), 'grown', 'live', 'prefix', 'pepper', uuid_send(gen_random_uuid())
        from generate_series(1, $1::integer)`,
      values: [accountId],
    },
    {
      name: "members of the account",
      text: `
        with added as (
          insert into users (id, account_id, email, password_hash)
          select gen_random_uuid(), $2, gen_random_uuid() || '@example.test', ''
          from generate_series(1, $1::integer)
          returning id, account_id
        )
        insert into memberships (user_id, account_id, role)
        select id, account_id, 'viewer'
        from added`,
      values: [accountId],
    },
    {
      name: "memberships of the user",
      text: `
        with added as (
          insert into accounts (id, name)
          select gen_random_uuid(), 'Grown'
          from generate_series(1, $1::integer)
          returning id
        )
        insert into memberships (user_id, account_id, role)
        select $2, id, 'viewer'
        from added`,
      values: [userId],
    },
    {
      name: "logins of the user",
      text: `
        insert into logins (id, user_id, expires_at)
        select gen_random_uuid(), $2, now() + interval '1 day'
        from generate_series(1, $1::integer)`,
      values: [userId],
    },
    {
      name: "refresh tokens of the login",
      text: `
        insert into refresh_tokens (login_id, nonce)
        select $2, uuid_send(gen_random_uuid())
        from generate_series(1, $1::integer)`,
      values: [loginId],
    },
    {
      name: "search entries",
      text: `
        insert into send_searches (key, send_id)
        select (fine_bucket(id) << 36) | number, id
        from generate_series(1, $1::integer) as number
        cross join lateral (select new_id_at(now()) as id) as send`,
      values: [],
    },
    {
      name: "idempotency keys of the account",
      text: `
        insert into idempotency_keys (key_hash, account_id, send_id, fingerprint, status)
        select gen_random_uuid(), $2, gen_random_uuid(), '', 'queued'
        from generate_series(1, $1::integer)`,
      values: [accountId],
    },
    {
      name: "rate windows",
      text: `
        insert into rate_windows (account_id, mode, times, totals, fair_at, wanted, recipient_sums, limits, decided_at, granted,
          fair_before, retry_ms, remaining)
        select gen_random_uuid(), mode, times, totals, fair_at, wanted, recipient_sums, limits, decided_at, granted, fair_before, retry_ms,
          remaining
        from rate_windows
        cross join generate_series(1, $1::integer)
        where account_id = $2`,
      values: [accountId],
    },
    {
      name: "sends of the account",
      text: `
        insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
        select new_id_at(now()), $2, 'live', 'queued', 'a@hot.test', '{ann@example.test}', 1, 0, 'Hello'
        from generate_series(1, $1::integer)`,
      values: [accountId],
    },
    ...["ready", "leased", "waiting"].map((state) => ({
      name: `queued sends in the state ${state}`,
      text: `
        insert into send_queue (id, account_id, mode, state, fair_at, due_at, attempt, from_domain, recipients)
        select new_id_at(now()), $2, 'live', $3, now() + interval '1 day', now() + interval '1 day', 1, 'hot.test', '{ann@example.test}'
        from generate_series(1, $1::integer)`,
      values: [accountId, state],
    })),
    {
      name: "attempts",
      text: `
        insert into send_attempts (send_id, attempt, started_at, outcome)
        select gen_random_uuid(), number, now(), 'try-later'
        from generate_series(1, $1::integer) as number`,
      values: [],
    },
    {
      name: "quotas, usage and queued recipients of other accounts",
      text: `
        with added as materialized (
          insert into accounts (id, name)
          select gen_random_uuid(), 'Grown'
          from generate_series(1, $1::integer)
          returning id
        ), quotas as (
          insert into account_quotas (account_id, mode, recipients_per_day)
          select id, 'live', 1
          from added
        ), usage as (
          insert into usage_hours (account_id, mode, hour, domain)
          select id, 'live', date_trunc('hour', now()), 'hot.test'
          from added
        ), counts as (
          insert into queued_recipient_counts (account_id, mode, recipients)
          select id, 'live', 1
          from added
        )
        insert into queued_recipient_changes (account_id, mode, difference)
        select id, 'live', 1
        from added`,
      values: [],
    },
    {
      name: "events of the account",
      text: `
        insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
        select new_id_at(now()), gen_random_uuid(), $2, 'live', 'Delivery', now(), 'ann@example.test'
        from generate_series(1, $1::integer)`,
      values: [accountId],
    },
    {
      name: "hours of usage of the account",
      text: `
        insert into usage_hours (account_id, mode, hour, domain)
        select $2, 'live', now() - number * interval '1 hour', 'hot.test'
        from generate_series(1, $1::integer) as number`,
      values: [accountId],
    },
    {
      name: "counts of the guard",
      text: `
        insert into guard_counts (account_id, epoch, day)
        select $2, 0, current_date - number
        from generate_series(1, $1::integer) as number`,
      values: [accountId],
    },
    {
      name: "counts of the guard of other accounts",
      text: `
        insert into guard_counts (account_id, epoch, day)
        select gen_random_uuid(), 0, (now() at time zone 'utc')::date
        from generate_series(1, $1::integer)`,
      values: [],
    },
    {
      name: "usage that is not folded",
      text: `
        insert into usage_deltas (account_id, hour, amount, kind, is_test, domain, guard_since, sends, api_key_id)
        select $2, 490000, 1, 1, false, 'hot.test', 1800000000, 1, $3
        from generate_series(1, $1::integer)`,
      values: [accountId, fixture.apiKeyId],
    },
  ];
};

export interface Growth {
  name: string;
  grow(rows: number): Promise<void>;
}

/** Ways in which the tables of hot statements grow, without new statistics: autovacuum, which also analyzes, is off. */
export async function makeGrowths(db: Database, fixture: HotFixture): Promise<Growth[]> {
  await db.query({
    name: "autovacuum-off",
    text: `
      do $$
      declare
        name text;
      begin
        for name in select oid::regclass::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
          execute format('alter table %s set (autovacuum_enabled = off)', name);
        end loop;
      end;
      $$`,
  });
  return growths(fixture).map(({ name, text, values }) => ({
    name,
    async grow(rows) {
      await db.query({ name: `grow ${name}`, text, values: [rows, ...values] });
    },
  }));
}
