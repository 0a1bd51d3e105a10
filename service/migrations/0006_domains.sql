-- A row is a draft until the provider has answered (registered_at is null). The API shows no drafts.
create table domains (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts (id),
  domain_name text not null,
  challenge_token text not null,
  configuration_set_name text not null,
  verification_status text not null default 'Pending',
  identity_arn text,
  dkim_tokens text[],
  dkim_zone text,
  created_at timestamptz not null default now(),
  registered_at timestamptz,
  -- What the last check found. failing_since is set while the records of a verified domain are missing or wrong.
  is_dkim_verified boolean not null default false,
  record_checks jsonb not null default '[]',
  failing_since timestamptz,
  last_checked_at timestamptz,
  next_check_at timestamptz,
  check_requested_at timestamptz,
  constraint domains_name_once_per_account unique (account_id, domain_name),
  constraint domains_status_known check (verification_status in ('Pending', 'Success', 'Failed')),
  constraint domains_registered_complete
    check (registered_at is null or (identity_arn is not null and dkim_tokens is not null and dkim_zone is not null)),
  constraint domains_success_registered check (verification_status <> 'Success' or registered_at is not null)
);

create index domains_name_idx on domains (domain_name);
create index domains_due_idx on domains (next_check_at) where registered_at is not null;
create index domains_draft_idx on domains (created_at) where registered_at is null;
-- When two accounts prove the same name at the same moment, one of them gets it.
create unique index domains_verified_once_idx on domains (domain_name) where verification_status = 'Success';

-- Identities to remove from the provider. The commit that removes the last domain of a name writes the row.
create table identity_removals (
  domain_name text primary key,
  -- New with every request, so that finishing an earlier removal does not delete a later request.
  note uuid not null default gen_random_uuid(),
  requested_at timestamptz not null default now()
);
