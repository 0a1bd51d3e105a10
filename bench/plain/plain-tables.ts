import pg from "pg";
import type { TestSender } from "../../service/proofs/sends/sending-client.ts";
import { apiKeyHmac } from "../../service/src/api-keys/api-key.ts";
import { keyPepper } from "./plain-secrets.ts";

/**
 * The tables of a mail service that is written plainly: one for each duty, with the indexes that the duties need. They are smaller than
 * Postern's: no partitions, no quotas, no tags, no order of fairness. Only the engines write `send_recipients` and `usage_hours`.
 */
const tables = `
  create table accounts (
    id uuid primary key,
    suspended_at timestamptz,
    limit_per_second integer not null,
    limit_per_10_seconds integer not null,
    limit_per_minute integer not null
  );
  create table api_keys (
    id uuid primary key,
    account_id uuid not null,
    secret_hmac bytea not null unique,
    scopes text[] not null,
    revoked_at timestamptz,
    expires_at timestamptz,
    last_used_at timestamptz
  );
  create table domains (
    account_id uuid not null,
    name text not null,
    verified_at timestamptz,
    primary key (account_id, name)
  );
  create table suppressions (
    account_id uuid not null,
    email text not null,
    reason text not null,
    primary key (account_id, email)
  );
  create table request_counts (
    account_id uuid not null,
    second timestamptz not null,
    count integer not null,
    primary key (account_id, second)
  ) with (fillfactor = 70);
  create table idempotency_keys (
    key_hash bytea primary key,
    send_id uuid not null,
    payload_hash bytea not null,
    queued_at timestamptz not null
  );
  create table sends (
    id uuid primary key,
    account_id uuid not null,
    api_key_id uuid not null,
    status text not null,
    from_address text not null,
    from_domain text not null,
    to_addresses text[] not null,
    subject text not null,
    suppressed text[],
    queued_at timestamptz not null,
    sent_at timestamptz,
    provider_message_id text
  ) with (fillfactor = 70);
  create index on sends (account_id, id);
  create table send_recipients (
    account_id uuid not null,
    recipient text not null,
    send_id uuid not null,
    primary key (account_id, recipient, send_id)
  );
  create table usage_hours (
    account_id uuid not null,
    hour timestamptz not null,
    api_key_id uuid not null,
    from_domain text not null,
    sends integer not null,
    content_bytes bigint not null,
    primary key (account_id, hour, api_key_id, from_domain)
  ) with (fillfactor = 70);
  create table send_contents (
    id uuid primary key,
    sealed bytea not null
  );
  create table send_queue (
    id uuid primary key,
    account_id uuid not null,
    state text not null,
    due_at timestamptz not null
  );
  create index on send_queue (due_at, id) where state = 'ready';
  create table events (
    id uuid primary key,
    send_id uuid not null,
    account_id uuid not null,
    type text not null,
    recipient text not null,
    at timestamptz not null
  );
  create index on events (account_id, id);
  create table pace (
    next_at timestamptz not null,
    per_second integer not null
  ) with (fillfactor = 50);
  insert into pace values (now(), 1000000)`;

/** The accounts, keys and domains of `senders`, with their limits per second, ten seconds and minute. */
export async function makePlainTables(
  url: string,
  senders: TestSender[],
  limits: [number, number, number],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(tables);
    const ids = senders.map(({ accountId }) => accountId);
    const insertAccounts = "insert into accounts select id, null, $2, $3, $4 from unnest($1::uuid[]) as id";
    await client.query(insertAccounts, [ids, ...limits]);
    await client.query(
      `insert into api_keys select id, id, hmac, '{send,read}' from unnest($1::uuid[], $2::bytea[]) as given (id, hmac)`,
      [ids, senders.map(({ key }) => apiKeyHmac(keyPepper, key))],
    );
    await client.query(
      `insert into domains select id, name, now() from unnest($1::uuid[], $2::text[]) as given (id, name)`,
      [ids, senders.map(({ from }) => from.split("@")[1])],
    );
    await client.query("analyze");
  } finally {
    await client.end();
  }
}
