-- A login lives until log-out, reuse of an old refresh token, a password reset or expires_at. Ending it deletes the row.
create table logins (
  id uuid primary key,
  user_id uuid not null references users (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index logins_user_idx on logins (user_id);

-- Only tokens that can still be used stand here: unused ones, and used ones for as long as a repeat is answered.
-- A token carries its login and a keyed hash, so one that is genuine but absent is known to be a reuse.
create table refresh_tokens (
  login_id uuid not null references logins (id) on delete cascade,
  nonce bytea not null,
  issued_at timestamptz not null default now(),
  used_at timestamptz,
  constraint refresh_tokens_nonce_once primary key (login_id, nonce)
);

-- Attempts to log in, counted per address and per user and address; the bucket is a keyed hash of both.
-- Unlogged: after a crash of the server the counts start again, which costs nothing but a few extra guesses.
create unlogged table login_attempts (
  bucket bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);

create index login_attempts_window_idx on login_attempts (window_ends_at);
