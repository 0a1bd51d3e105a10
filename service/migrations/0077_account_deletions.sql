-- Expands. Deleting accounts (data-rights/delete-account.ts).

-- Outlives the account: the audit of the account is deleted with it. Undoing a deletion deletes the row.
create table account_deletions (
  account_id uuid primary key,
  requested_at timestamptz not null default now(),
  requested_by text,
  -- From here on it cannot be undone.
  purge_started_at timestamptz,
  finished_at timestamptz,
  finished_by text,
  -- The deleted rows of each table.
  rows jsonb not null default '{}'
);

create policy own_account on account_deletions
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table account_deletions enable row level security;

-- Sends of deleted accounts that the provider may still report. Such feedback is ignored and not quarantined, which would keep addresses.
create table forgotten_sends (
  send_id uuid primary key
);
