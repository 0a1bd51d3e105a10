-- recipient_keys: how the recipients are compared, where that is not simply to_addresses in lower case.
-- outcomes: what was reported of each recipient, in the order of to_addresses, as a rank that only rises:
-- 0 nothing, 1 bounced for a time, 2 delivered, 3 bounced for good, 4 complained.
alter table sends
  add column recipient_keys text[],
  add column outcomes smallint[];

-- When the provider's queue of events was last asked with success.
alter table feedback_progress
  add column polled_at timestamptz;

-- What the provider told and nobody could use: about a send that is not known (yet), or not to be read at all.
create table feedback_quarantine (
  id bigint generated always as identity primary key,
  received_at timestamptz not null default now(),
  reason text not null,
  raw text not null,
  -- Of the same text there is one row, however often it is told.
  raw_hash bytea not null,
  tries integer not null default 0,
  -- Null when trying again is of no use.
  next_try_at timestamptz,
  constraint feedback_quarantine_raw_once unique (raw_hash),
  constraint feedback_quarantine_reason_known check (reason in ('unknown-send', 'unreadable', 'from-the-future'))
);

create index feedback_quarantine_due_idx on feedback_quarantine (next_try_at) where next_try_at is not null;

-- How long each list of an account is: what list_counts says and all list_changes on top. What changes a list only adds a
-- row, so that nobody waits for a counter and nobody counts rows; a chore folds the changes into the counts.
-- `month` is that of the events, whose partitions are dropped by it.
create table list_counts (
  account_id uuid not null,
  mode text not null,
  list text not null,
  month date,
  count bigint not null,
  constraint list_counts_once unique nulls not distinct (account_id, mode, list, month)
) with (fillfactor = 70);

create table list_changes (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  mode text not null,
  list text not null,
  month date,
  difference bigint not null
) with (
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);

create index list_changes_list_idx on list_changes (account_id, mode, list);

create function count_new_events() returns trigger
  language plpgsql
as $$
begin
  insert into list_changes (account_id, mode, list, month, difference)
  select account_id, mode, event_type, date_trunc('month', time_of_id(id) at time zone 'UTC')::date, count(*)
  from added
  group by 1, 2, 3, 4;
  return null;
end
$$;

create trigger events_counted
  after insert on events
  referencing new table as added
  for each statement
  execute function count_new_events();

create function count_new_suppressions() returns trigger
  language plpgsql
as $$
begin
  insert into list_changes (account_id, mode, list, difference)
  select account_id, mode, 'suppressions', count(*)
  from added
  group by 1, 2;
  return null;
end
$$;

create trigger suppressions_counted
  after insert on suppressions
  referencing new table as added
  for each statement
  execute function count_new_suppressions();

create function count_removed_suppressions() returns trigger
  language plpgsql
as $$
begin
  insert into list_changes (account_id, mode, list, difference)
  select account_id, mode, 'suppressions', -count(*)
  from removed
  group by 1, 2;
  return null;
end
$$;

create trigger suppressions_uncounted
  after delete on suppressions
  referencing old table as removed
  for each statement
  execute function count_removed_suppressions();

-- What was there before it was counted; the triggers keep others from adding to it meanwhile.
insert into list_counts (account_id, mode, list, month, count)
select account_id, mode, event_type, date_trunc('month', time_of_id(id) at time zone 'UTC')::date, count(*)
from events
group by 1, 2, 3, 4;

insert into list_counts (account_id, mode, list, count)
select account_id, mode, 'suppressions', count(*)
from suppressions
group by 1, 2;

-- A new id in the layout of UUIDv7, so that the order of ids is that of time. PostgreSQL has one of its own from 18 on.
create function new_id_at(moment timestamptz) returns uuid
  language sql volatile parallel safe
  return (
    left(replace(first_id_at(moment)::text, '-', ''), 12) || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid;

-- The lists of an account, newest first. Made before there is a release, so no large table is locked by it.
create index suppressions_newest_idx on suppressions (account_id, mode, id);
create index events_type_idx on events (account_id, mode, event_type, id);
create index events_send_idx on events (send_id);
create index sends_account_idx on sends (account_id, mode, id);

-- Whether anybody complained, whichever account had mailed to the address.
create index suppressions_complaint_idx on suppressions (email) where mode = 'live' and reason = 'complaint';

-- Addresses to take off the provider's own list, written in the commit that took them off ours. The note tells one
-- request from the next for the same address.
create table suppression_removals (
  email text primary key,
  note uuid not null default gen_random_uuid(),
  requested_at timestamptz not null default now(),
  tries integer not null default 0,
  next_try_at timestamptz not null default now()
);

create index suppression_removals_due_idx on suppression_removals (next_try_at);
