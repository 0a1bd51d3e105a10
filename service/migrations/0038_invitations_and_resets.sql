-- Expands. Invitations to an account and password resets (invitations/, logins/password-reset.ts). Each is used by a link whose secret is
-- stored as a hash only. Using one deletes its row, so of two uses at once one succeeds; a chore deletes what has expired.
create table invitations (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  email text not null,
  role text not null,
  token_hash bytea not null,
  -- Null when the operator invited by the command line.
  invited_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint invitations_token_unique unique (token_hash),
  -- A second invitation of the same address replaces the first.
  constraint invitations_email_once unique (account_id, email),
  constraint invitations_role_known check (role in ('owner', 'developer', 'viewer')),
  constraint invitations_email_lower_case check (email = lower(email)),
  -- The invitations of a removed member end with the membership.
  constraint invitations_inviter_is_member
    foreign key (invited_by, account_id) references memberships (user_id, account_id) on delete cascade
);

create index invitations_inviter_idx on invitations (invited_by, account_id);
create index invitations_expiry_idx on invitations (expires_at);

create policy own_account on invitations
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table invitations enable row level security;
grant select (id, account_id, email, role, invited_by, created_at, expires_at),
  insert (id, account_id, email, role, token_hash, invited_by, expires_at),
  update (id, role, token_hash, invited_by, created_at, expires_at),
  delete
  on invitations to pg_database_owner;

create table password_resets (
  token_hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index password_resets_user_idx on password_resets (user_id);
create index password_resets_expiry_idx on password_resets (expires_at);

-- For the chore that deletes expired logins.
create index logins_expiry_idx on logins (expires_at);

-- Who created the key; null for keys of the command line and of the version before. No foreign key: a key outlives the membership of its
-- maker and still names the person, so the email is that at the creation.
alter table api_keys
  add column created_by uuid,
  add column created_by_email text;
grant select (created_by, created_by_email), insert (created_by, created_by_email) on api_keys to pg_database_owner;
