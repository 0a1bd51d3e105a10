-- Expands: quotas of an account, for each mode. Null is unlimited, and so is a missing row.

-- trial: the account may send to so many recipients a day until the operator lifts the trial; the smaller of the two limits counts.
create table account_quotas (
  account_id uuid not null references accounts (id),
  mode text not null,
  recipients_per_day integer,
  queued_recipients integer,
  stored_content_bytes bigint,
  trial integer,
  constraint account_quotas_once primary key (account_id, mode),
  constraint account_quotas_mode_known check (mode in ('live', 'test')),
  constraint account_quotas_valid check (
    recipients_per_day >= 0 and queued_recipients >= 0 and stored_content_bytes >= 0 and trial >= 0
  )
);

-- How many recipients an account has in the queue; only sends with send_queue.counted_recipients count (0031). A statement that adds
-- or removes such sends appends a change, so that no two statements wait for the same row; a chore folds the changes into the count.
create table queued_recipient_counts (
  account_id uuid not null,
  mode text not null,
  recipients bigint not null,
  constraint queued_recipient_counts_once primary key (account_id, mode)
);

create table queued_recipient_changes (
  id bigint generated always as identity,
  account_id uuid not null,
  mode text not null,
  difference integer not null,
  constraint queued_recipient_changes_once primary key (id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);

create index queued_recipient_changes_account_idx on queued_recipient_changes (account_id, mode);

-- No route of an account reads these tables. The policies are the second guard (0013).
create policy own_account on account_quotas
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on queued_recipient_counts
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on queued_recipient_changes
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table account_quotas enable row level security;
alter table queued_recipient_counts enable row level security;
alter table queued_recipient_changes enable row level security;
