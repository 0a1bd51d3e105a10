-- A row is a draft until the provider has answered (registered_at is null); drafts are shown to nobody.
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
  -- What the last look found. failing_since is set while a domain that should be in order is seen not to be.
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
-- Of two accounts that prove the same name at the same moment, one wins.
create unique index domains_verified_once_idx on domains (domain_name) where verification_status = 'Success';

-- Identities to take away from the provider, written in the commit that removed the last need for them.
create table identity_removals (
  domain_name text primary key,
  -- Another one with every removal, so that finishing an earlier one does not forget a later one.
  note uuid not null default gen_random_uuid(),
  requested_at timestamptz not null default now()
);

-- One row: when the next control request to the provider may start. SES allows one a second per AWS account; a little
-- more than a second lies between ours, because the network may bring two closer together than they left.
create table control_budget (
  only_row boolean primary key default true,
  next_at timestamptz not null default now(),
  spacing interval not null default '1.2 seconds',
  constraint control_budget_one_row check (only_row)
);

insert into control_budget default values;
