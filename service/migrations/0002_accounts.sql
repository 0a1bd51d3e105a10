-- An account is a customer of this installation, and everything else belongs to one. The limits default to the published
-- ones. held_at: the operator stopped the account's mail; the API still accepts it.
create table accounts (
  id uuid primary key,
  name text not null,
  limit_per_second integer not null default 3,
  limit_per_10_seconds integer not null default 20,
  limit_per_minute integer not null default 100,
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  held_at timestamptz,
  hold_note text,
  constraint accounts_limits_positive
    check (limit_per_second > 0 and limit_per_10_seconds > 0 and limit_per_minute > 0)
);

create index accounts_held_idx on accounts (id) where held_at is not null;

-- Emails are stored in lower case. The check refuses a second user with the same address in another case.
create table users (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default now(),
  constraint users_email_unique unique (email),
  constraint users_email_lower_case check (email = lower(email))
);

create index users_account_idx on users (account_id);
