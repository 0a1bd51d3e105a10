-- Expands. The guard holds the mail of an account whose bounces or complaints endanger the SES account (guard/guard-loop.ts).

-- The hold of the guard has columns of its own: neither it nor the hold of the operator (held_at) ends the other.
-- guard_epoch: grows with each release. Outcomes that were counted in an earlier epoch have no effect any more.
-- guard_released_at: the guard counts no outcomes of sends that were accepted before it.
-- guard_off: the guard counts the outcomes of the account and never holds it.
alter table accounts
  add column guard_epoch integer not null default 0,
  add column guard_released_at timestamptz,
  add column guard_held_at timestamptz,
  add column guard_reason text,
  add column guard_off boolean not null default false,
  add constraint accounts_guard_hold_complete check ((guard_held_at is null) = (guard_reason is null));

create index accounts_guard_held_idx on accounts (guard_held_at) where guard_held_at is not null;

-- Recipients of live mail by the UTC day of their outcome. Days are what the window of seven days needs; the fold of the usage
-- deltas adds to them and writes nothing but the three counts. A check stores how many outcomes and complaints it has seen, so
-- the rows with something new are those where the two differ, whichever process wrote last.
create table guard_counts (
  account_id uuid not null,
  epoch integer not null,
  day date not null,
  -- Deliveries and hard bounces.
  outcomes bigint not null default 0,
  hard_bounces bigint not null default 0,
  complaints bigint not null default 0,
  checked bigint not null default 0,
  primary key (account_id, epoch, day)
);

create index guard_counts_unchecked_idx on guard_counts (account_id) where checked <> outcomes + complaints;
create index guard_counts_day_idx on guard_counts (day);

-- When a worker last began a round of checks. Every worker may begin the next one, so a crash in the middle of a round delays the
-- guard by seconds; a chore would wait until the heartbeat of its run is missing.
create table guard_rounds (
  is_only_row boolean primary key default true,
  began_at timestamptz not null default 'epoch',
  constraint guard_rounds_one_row check (is_only_row)
);

insert into guard_rounds default values;

create policy own_account on guard_counts
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table guard_counts enable row level security;

-- GET /account shows the rates and both holds. hold_note is for the operator only.
grant select on guard_counts to pg_database_owner;
grant select (held_at, guard_epoch, guard_released_at, guard_held_at, guard_reason, guard_off) on accounts to pg_database_owner;
