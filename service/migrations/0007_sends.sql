-- The permanent record of a send. The API writes it on acceptance and a worker when it settles the send; send_queue holds
-- the state between the two. Partitions are ranges of ids, so a lookup by id reads one partition. There are no foreign keys:
-- the statements that write these tables read the account in the same snapshot.
create table sends (
  id uuid not null,
  account_id uuid not null,
  mode text not null,
  status text not null,
  from_address text not null,
  -- to, cc and bcc in this order, as the caller wrote them. The two counts say where one list ends.
  to_addresses text[] not null,
  to_count smallint not null,
  cc_count smallint not null,
  reply_to text,
  subject text not null,
  -- Suppressed on acceptance, in lower case.
  suppressed_recipients text[],
  queued_at timestamptz not null default now(),
  sent_at timestamptz,
  provider_message_id text,
  error_code text,
  error_message text,
  -- How recipients are compared, where that differs from to_addresses in lower case.
  recipient_keys text[],
  -- How final the reports about each recipient are, in the order of to_addresses. A rank only rises:
  -- 0 none, 1 transient bounce, 2 delivered, 3 permanent bounce, 4 complaint.
  outcomes smallint[],
  constraint sends_id_once primary key (id),
  constraint sends_mode_known check (mode in ('live', 'test')),
  constraint sends_status_known
    check (status in ('queued', 'sent', 'delivered', 'bounced', 'complained', 'suppressed', 'failed')),
  constraint sends_failed_says_why check (status <> 'failed' or (error_code is not null and error_message is not null))
) partition by range (id);

create index sends_account_idx on sends (account_id, mode, id);

-- Sealed addresses, subject and bodies, as the worker submits them. Whole partitions are dropped, long before the record.
create table send_contents (
  id uuid not null,
  sealed bytea not null,
  constraint send_contents_id_once primary key (id)
) partition by range (id);

-- Sealed bytes do not compress.
alter table send_contents alter column sealed set storage external;

-- Empty unless partitions were not made in time. A row in one of them raises an alarm.
create table sends_default partition of sends default with (fillfactor = 50);
create table send_contents_default partition of send_contents default;
alter table send_contents_default set (toast_tuple_target = 8160);

-- Every attempt except one that the provider accepted at the first try.
create table send_attempts (
  send_id uuid not null,
  attempt integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  outcome text not null,
  provider_message_id text,
  request_id text,
  detail text,
  constraint send_attempts_once primary key (send_id, attempt),
  constraint send_attempts_outcome_known
    check (outcome in ('accepted', 'refused', 'try-later', 'unknown', 'returned')),
  constraint send_attempts_accepted_named check (outcome <> 'accepted' or provider_message_id is not null)
);

-- An idempotency key, as a keyed hash of account, mode and key. The row holds the whole first answer: a concurrent request
-- with the same key waits for this row, but cannot see the send in its own snapshot. The fingerprint has 8 bytes for each
-- field of the payload.
create table idempotency_keys (
  key_hash uuid primary key,
  account_id uuid not null,
  send_id uuid not null,
  fingerprint bytea not null,
  status text not null,
  suppressed_recipients text[],
  queued_at timestamptz not null default now(),
  constraint idempotency_keys_status_known check (status in ('queued', 'suppressed'))
);

-- Keys that must never change. The content key seals them, and the operator may rotate that one.
create table sealed_keys (
  name text primary key,
  sealed bytea not null
);

-- The admitted requests of an account; accept/rate-limit.ts explains the columns. The table is unlogged: after a crash of the
-- server the windows start empty.
create unlogged table rate_windows (
  account_id uuid not null,
  mode text not null,
  times timestamptz[] not null,
  totals bigint[] not null,
  forgotten bigint not null default 0,
  fair_at timestamptz not null,
  wanted integer not null,
  recipient_sums bigint[] not null,
  limits integer[] not null,
  decided_at timestamptz not null,
  granted integer not null,
  fair_before timestamptz not null,
  retry_ms integer not null,
  remaining integer[] not null,
  constraint rate_windows_once primary key (account_id, mode)
) with (fillfactor = 50, toast_tuple_target = 8160);
