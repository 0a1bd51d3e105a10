-- The record of a send, kept for good. It is written when the send is accepted and when it is settled; what happens in
-- between stands in send_queue. Partitions are ranges of ids, and an id begins with its time, so a lookup by id touches
-- one of them. No foreign keys: the statements that write these tables read the account in the same snapshot.
create table sends (
  id uuid not null,
  account_id uuid not null,
  mode text not null,
  status text not null,
  from_address text not null,
  -- to, cc, bcc in this order, as given; the two counts tell where one ends.
  to_addresses text[] not null,
  to_count smallint not null,
  cc_count smallint not null,
  reply_to text,
  subject text not null,
  -- Filtered when it was accepted, in lower case.
  suppressed_recipients text[],
  queued_at timestamptz not null default now(),
  sent_at timestamptz,
  provider_message_id text,
  error_code text,
  error_message text,
  constraint sends_id_once primary key (id),
  constraint sends_mode_known check (mode in ('live', 'test')),
  constraint sends_status_known
    check (status in ('queued', 'sent', 'delivered', 'bounced', 'complained', 'suppressed', 'failed')),
  constraint sends_failed_says_why check (status <> 'failed' or (error_code is not null and error_message is not null))
) partition by range (id);

-- What is sealed: addresses, subject and bodies as they are handed over. Dropped by whole partitions, long before the record.
create table send_contents (
  id uuid not null,
  sealed bytea not null,
  constraint send_contents_id_once primary key (id)
) partition by range (id);

-- Sealed bytes do not compress.
alter table send_contents alter column sealed set storage external;

-- What customers see. An id is made of what happened, so that the same thing told twice is a conflict of ids.
create table events (
  id uuid not null,
  send_id uuid not null,
  account_id uuid not null,
  mode text not null,
  event_type text not null,
  event_at timestamptz not null,
  recipient text not null,
  bounce_type text,
  bounce_subtype text,
  complaint_type text,
  suppression_reason text,
  suppressed_at timestamptz,
  constraint events_id_once primary key (id),
  constraint events_mode_known check (mode in ('live', 'test')),
  constraint events_type_known check (event_type in ('Delivery', 'Bounce', 'Complaint', 'Suppression')),
  constraint events_bounce_type_known check (bounce_type in ('Permanent', 'Transient'))
) partition by range (id);

create index events_account_idx on events (account_id, mode, id);

-- Empty unless partitions were not made in time; a row here raises an alarm.
create table sends_default partition of sends default;
create table send_contents_default partition of send_contents default;
create table events_default partition of events default;

-- Sends on their way, and nothing else: a claim leases a row, the settlement deletes it. It is narrow and holds what a
-- claim needs to decide. `attempt` only grows; whoever settles names the one it made.
create table send_queue (
  id uuid primary key,
  account_id uuid not null,
  mode text not null,
  -- ready: to be claimed by fair_at. leased: being handed over until due_at. waiting: ready again at due_at.
  -- in-doubt: may have been handed over; due_at says since when, which is the time of the attempt.
  state text not null default 'ready',
  fair_at timestamptz not null,
  due_at timestamptz,
  attempt integer not null default 0,
  -- When the claim of this attempt was made.
  attempted_at timestamptz,
  backoff_step smallint not null default 0,
  -- The first try-later, on a clock that stands still while the provider is held.
  retrying_since timestamptz,
  from_domain text not null,
  -- Lower-case; only those that are still to be mailed.
  recipients text[] not null,
  constraint send_queue_mode_known check (mode in ('live', 'test')),
  constraint send_queue_state_known check (state in ('ready', 'leased', 'waiting', 'in-doubt')),
  constraint send_queue_due_known check (state = 'ready' or due_at is not null)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);

create index send_queue_ready_idx on send_queue (mode, fair_at, id) where state = 'ready';
create index send_queue_due_idx on send_queue (mode, state, due_at) where state <> 'ready';

-- Every attempt that was not simply accepted at the first try.
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

-- A key that a caller gave, as a keyed hash of account, mode and key. The row holds the whole first answer, because a
-- twin that waited for it cannot see the send in its own snapshot. Fingerprint: 8 bytes for each field of the payload.
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

create table suppressions (
  id uuid not null,
  account_id uuid not null references accounts (id),
  mode text not null,
  email text not null,
  reason text not null,
  suppressed_at timestamptz not null default now(),
  constraint suppressions_email_once primary key (account_id, mode, email),
  constraint suppressions_mode_known check (mode in ('live', 'test')),
  constraint suppressions_email_lower_case check (email = lower(email)),
  constraint suppressions_reason_known check (reason in ('hard_bounce', 'complaint'))
);

-- What an account has used of its rate limit: ascending times, and beside each how many requests had been admitted in
-- total by then. `forgotten` is the total before the first of them. The columns below it carry one decision to the rest
-- of the statement that makes it. Unlogged: after a crash of the server the windows start empty.
create unlogged table rate_windows (
  account_id uuid not null,
  mode text not null,
  times timestamptz[] not null,
  totals bigint[] not null,
  forgotten bigint not null default 0,
  fair_at timestamptz not null,
  wanted integer not null,
  burdens bigint[] not null,
  limits integer[] not null,
  decided_at timestamptz not null,
  granted integer not null,
  fair_before timestamptz not null,
  retry_ms integer not null,
  remaining integer[] not null,
  constraint rate_windows_once primary key (account_id, mode)
) with (fillfactor = 50, toast_tuple_target = 8160);

-- What is known of a provider, one row for live mail and one for the sandbox. While it is held nothing is claimed but a
-- probe a minute. held_for sums up earlier holds, so that the patience of a send is counted without them.
create table provider_state (
  mode text primary key,
  max_per_second double precision,
  quota_read_at timestamptz,
  hold_reason text,
  held_since timestamptz,
  probe_at timestamptz,
  held_for interval not null default '0',
  constraint provider_state_mode_known check (mode in ('live', 'test')),
  constraint provider_state_hold_known check (hold_reason in ('quota', 'paused', 'suspended', 'operator')),
  constraint provider_state_hold_complete check ((hold_reason is null) = (held_since is null))
);

insert into provider_state (mode) values ('live'), ('test');

-- A clock that stands still while the provider is held: the patience with a send is counted on it.
create function retry_clock(mode text) returns timestamptz
language sql stable
begin atomic
  select now() - p.held_for - coalesce(now() - p.held_since, '0')
  from provider_state p
  where p.mode = retry_clock.mode;
end;

-- When the next recipient may be handed over. Unlogged: after a crash the next one may go at once.
create unlogged table pacing (
  mode text primary key,
  next_at timestamptz not null
);

-- What makes silence mean something: a send in doubt is sent again only when events of others are known to arrive.
create table feedback_progress (
  mode text primary key,
  -- The latest hand-over of which the provider told us, when it told us last, and when its queue was last found empty.
  reported_submission_at timestamptz,
  last_report_at timestamptz,
  queue_empty_at timestamptz,
  constraint feedback_progress_mode_known check (mode in ('live', 'test'))
);

insert into feedback_progress (mode) values ('live'), ('test');

-- Keys that must never change, sealed with the content key, which may.
create table sealed_keys (
  name text primary key,
  sealed bytea not null
);

-- A recipient is filtered out of a send once, however often that is found: the id has the time of the send and, in the
-- layout of UUIDv7, a hash of what happened.
create function suppression_event_id(send_id uuid, recipient text) returns uuid
language sql immutable parallel safe
return (
  select (left(replace(send_id::text, '-', ''), 12) || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid
  from encode(sha256(convert_to(send_id::text || ' Suppression ' || recipient, 'UTF8')), 'hex') as hash
);
