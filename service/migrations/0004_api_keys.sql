-- The key itself is never stored: secret_hmac is keyed with the pepper named by pepper_id.
create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  type text not null,
  key_prefix text not null,
  pepper_id text not null,
  secret_hmac bytea not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint api_keys_type_known check (type in ('live', 'test')),
  constraint api_keys_secret_unique unique (secret_hmac)
);

create index api_keys_account_idx on api_keys (account_id, id);
