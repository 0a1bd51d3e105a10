-- A login ends by log-out, by reuse of an old refresh token, by a password reset or at expires_at. Ending it deletes the row.
create table logins (
  id uuid primary key,
  user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index logins_user_idx on logins (user_id);

-- The tokens that are still valid: unused ones, and used ones while a repeated refresh is answered. A token carries its login
-- and a keyed hash, so a genuine token without a row is a reuse.
create table refresh_tokens (
  login_id uuid not null references logins (id) on delete cascade,
  nonce bytea not null,
  issued_at timestamptz not null default now(),
  used_at timestamptz,
  constraint refresh_tokens_nonce_once primary key (login_id, nonce)
);

-- Log-in attempts per address, and per user and address. The bucket is a keyed hash of them. The table is unlogged: after a
-- crash of the server the counts start again, which costs a few extra guesses.
create unlogged table login_attempts (
  bucket bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);

create index login_attempts_window_idx on login_attempts (window_ends_at);
