-- The events that customers see. An id is computed from what happened, so a second report of the same thing conflicts with it.
create table events (
  id uuid not null,
  send_id uuid not null,
  account_id uuid not null,
  mode text not null,
  event_type text not null,
  event_at timestamptz not null,
  recipient text not null,
  bounce_type text,
  bounce_subtype text,
  complaint_type text,
  suppression_reason text,
  suppressed_at timestamptz,
  constraint events_id_once primary key (id),
  constraint events_mode_known check (mode in ('live', 'test')),
  constraint events_type_known check (event_type in ('Delivery', 'Bounce', 'Complaint', 'Suppression')),
  constraint events_bounce_type_known check (bounce_type in ('Permanent', 'Transient'))
) partition by range (id);

create index events_account_idx on events (account_id, mode, id);
create index events_type_idx on events (account_id, mode, event_type, id);
create index events_send_idx on events (send_id);

-- Empty unless partitions were not made in time. A row in it raises an alarm.
create table events_default partition of events default;

create table suppressions (
  id uuid not null,
  account_id uuid not null references accounts (id),
  mode text not null,
  email text not null,
  reason text not null,
  suppressed_at timestamptz not null default now(),
  constraint suppressions_email_once primary key (account_id, mode, email),
  constraint suppressions_mode_known check (mode in ('live', 'test')),
  constraint suppressions_email_lower_case check (email = lower(email)),
  constraint suppressions_reason_known check (reason in ('hard_bounce', 'complaint'))
);

create index suppressions_newest_idx on suppressions (account_id, mode, id);
-- Did anybody complain about mail to this address, in any account?
create index suppressions_complaint_idx on suppressions (email) where mode = 'live' and reason = 'complaint';

-- Addresses to remove from the provider's own list. The commit that removes them from ours writes the row. The note is new with
-- every request, so that finishing an earlier removal does not delete a later request.
create table suppression_removals (
  email text primary key,
  note uuid not null default gen_random_uuid(),
  requested_at timestamptz not null default now(),
  tries integer not null default 0,
  next_try_at timestamptz not null default now()
);

create index suppression_removals_due_idx on suppression_removals (next_try_at);

-- The length of each list of an account is list_counts plus all list_changes. A change of a list only adds a row, so no
-- statement waits for a counter and none counts rows. A chore folds the changes into the counts. `month` is the month of the
-- events, because their partitions are dropped by it.
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

-- Nearly all events are of the current month, which two comparisons show. Only the others have their time read from the id.
create function count_new_events() returns trigger
  language plpgsql
as $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
  begins uuid := first_id_at(this_month::timestamp at time zone 'UTC');
  ends uuid := first_id_at((this_month + interval '1 month') at time zone 'UTC');
begin
  insert into list_changes (account_id, mode, list, month, difference)
  select account_id, mode, event_type,
    case when id >= begins and id < ends then this_month
      else date_trunc('month', time_of_id(id) at time zone 'UTC')::date end,
    count(*)
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
