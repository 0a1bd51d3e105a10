-- Expands. The second factor of a user (TOTP, RFC 6238). It is a column of users and not a table, so that the statement of a log-in checks
-- password and code on one locked row. totp_secret is sealed; while totp_enabled_at is null, the user has not confirmed it. A code
-- counts once: totp_last_step is the 30-second step of the last used code.
alter table users
  add column totp_secret bytea,
  add column totp_enabled_at timestamptz,
  add column totp_last_step bigint;

-- Unused ones only. A code has 80 random bits, so a plain hash cannot be reversed by guessing.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  constraint recovery_codes_once primary key (user_id, code_hash)
);

-- Users of the account without TOTP can do nothing but enrol.
alter table accounts add column totp_required boolean not null default false;
grant select (totp_required), update (totp_required) on accounts to pg_database_owner;

-- Wrong codes per user in a week; login_attempts, which limits them in 15 minutes, forgets its counts in a crash. Log-ins and calls with a
-- session count apart, so that somebody with a stolen session and without the password cannot stop the owner's log-in.
create table code_attempts (
  user_id uuid not null references users (id) on delete cascade,
  purpose text not null constraint code_attempts_purpose_known check (purpose in ('log-in', 'session')),
  attempts integer not null,
  window_ends_at timestamptz not null,
  constraint code_attempts_once primary key (user_id, purpose)
);

-- Code of the release before names no account and asks for no code: it must not log in a user with TOTP. Without the row it
-- answers as to a wrong password.
create or replace function fill_account_of_login() returns trigger
  language plpgsql
as $$
begin
  if new.account_id is null then
    select account_id into new.account_id from users where id = new.user_id and totp_enabled_at is null;
    if new.account_id is null then
      return null;
    end if;
  end if;
  return new;
end;
$$;
