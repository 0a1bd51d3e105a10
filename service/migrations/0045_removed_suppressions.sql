-- Expands. The outcome of the last removal of an address from the suppression list of an account, here and at the provider. The provider
-- has one list for all accounts, so the removal there is in suppression_removals, which no account can read; the statements that finish or
-- postpone it copy the outcome to the accounts that wait for it. Rows are deleted after 90 days; the audit keeps the removal itself.
create table removed_suppressions (
  account_id uuid not null references accounts (id),
  mode text not null,
  email text not null,
  removed_at timestamptz not null default now(),
  removed_by_kind text not null,
  removed_by_name text,
  provider_status text not null,
  provider_finished_at timestamptz,
  provider_next_try_at timestamptz,
  -- The kind of the last failed try.
  provider_error text,
  constraint removed_suppressions_email_once primary key (account_id, mode, email),
  constraint removed_suppressions_mode_known check (mode in ('live', 'test')),
  constraint removed_suppressions_email_lower_case check (email = lower(email)),
  -- not_needed: test mail never reaches the provider. kept: the recipient complained after the request. refused: the provider does not
  -- accept the address.
  constraint removed_suppressions_status_known
    check (provider_status in ('not_needed', 'pending', 'removed', 'kept', 'refused')),
  constraint removed_suppressions_pending_has_next_try
    check ((provider_status = 'pending') = (provider_next_try_at is not null)),
  constraint removed_suppressions_finished_has_time
    check ((provider_status in ('removed', 'kept', 'refused')) = (provider_finished_at is not null))
);

create index removed_suppressions_pending_idx on removed_suppressions (email) where provider_status = 'pending';
create index removed_suppressions_old_idx on removed_suppressions (removed_at);

create policy own_account on removed_suppressions
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table removed_suppressions enable row level security;
grant select, insert, update on removed_suppressions to pg_database_owner;
