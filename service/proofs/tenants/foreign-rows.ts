import type { Database } from "../../src/db/database.ts";

const tablesOfAccounts = {
  accounts: "id",
  users: "account_id",
  memberships: "account_id",
  logins: "account_id",
  invitations: "account_id",
  content_views: "account_id",
  api_keys: "account_id",
  api_key_secrets: "account_id",
  domains: "account_id",
  sends: "account_id",
  send_queue: "account_id",
  pending_attachments: "account_id",
  scheduled_sends: "account_id",
  events: "account_id",
  delivery_delays: "account_id",
  suppressions: "account_id",
  removed_suppressions: "account_id",
  list_counts: "account_id",
  list_days: "account_id",
  list_changes: "account_id",
  usage_deltas: "account_id",
  usage_hours: "account_id",
  usage_key_hours: "account_id",
  usage_refusals: "account_id",
  usage_tag_days: "account_id",
  usage_tags: "account_id",
  idempotency_keys: "account_id",
  rate_windows: "account_id",
  queue_tails: "account_id",
  guard_counts: "account_id",
  account_quotas: "account_id",
  queued_recipient_counts: "account_id",
  queued_recipient_changes: "account_id",
  tenant_removals: "account_id",
  audit_entries: "account_id",
  webhook_endpoints: "account_id",
  webhook_secrets: "account_id",
  webhook_networks: "account_id",
  webhook_deliveries: "account_id",
  webhook_queue: "account_id",
  webhook_attempts: "account_id",
  webhook_replays: "account_id",
  notifications: "account_id",
  erasures: "account_id",
  erasure_counts: "account_id",
  account_deletions: "account_id",
  outgoing_moves: "account_id",
  incoming_moves: "account_id",
  moved_rows: "account_id",
  moved_feedback: "account_id",
  logged_requests: "account_id",
  logged_request_hours: "account_id",
};

/** A fingerprint per table of all rows of other accounts; it stays equal as long as none of them changes. */
export async function fingerprintForeignRows(db: Database, accountId: string): Promise<Record<string, string>> {
  const parts = Object.entries(tablesOfAccounts).map(
    ([table, column]) => `select '${table}' as name, t::text as row from ${table} t where ${column} <> $1`,
  );
  const attempts = `
    select 'send_attempts', t::text
    from send_attempts t
    join sends s on s.id = t.send_id
    where s.account_id <> $1`;
  const searches = attempts.replaceAll("send_attempts", "send_searches");
  const rows = await db.query<{ name: string; contents: string }>({
    name: "foreign-rows",
    text: `
      select name, count(*) || ' ' || md5(string_agg(row, ' ' order by row)) as contents
      from (${[...parts, attempts, searches].join(" union all ")}) as everything
      group by name`,
    values: [accountId],
  });
  return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
}

/** The tables with an `account_id` that `fingerprintForeignRows` does not cover. */
export async function findUncoveredTables(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    name: "tables-of-accounts",
    text: `
      select c.relname::text as name
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      where a.attname = 'account_id'
        and c.relkind in ('r', 'p')
        and not c.relispartition
        and c.relnamespace = 'public'::regnamespace`,
  });
  return rows.map(({ name }) => name).filter((name) => !(name in tablesOfAccounts));
}
