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
