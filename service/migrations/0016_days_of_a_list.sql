-- Expands. Counts the entries of each list per day, so that a page far back in the list is found without reading the entries before
-- it (db/deep-page.ts). list_counts still has the whole number, for events per month. Where the days do not add up to it, as for
-- events stored before this migration, they are not used.
-- First, so that every change before this migration has no day, and every change after it has one.
lock table suppressions in share row exclusive mode;

create table list_days (
  account_id uuid not null,
  mode text not null,
  list text not null,
  day date not null,
  count bigint not null,
  constraint list_days_once primary key (account_id, mode, list, day)
) with (fillfactor = 70);

-- The suppressions so far, before list_changes is locked: accept and claim use that table, and only read suppressions.
insert into list_days (account_id, mode, list, day, count)
select account_id, mode, 'suppressions', (time_of_id(id) at time zone 'UTC')::date, count(*)
from suppressions
group by 1, 2, 4;

alter table list_changes add column day date;

create policy own_account on list_days
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table list_days enable row level security;
grant select on list_days to pg_database_owner;

-- The same id with another time.
create function id_with_time(id uuid, moment timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (left(replace(first_id_at(moment)::text, '-', ''), 12) || substr(replace(id::text, '-', ''), 13))::uuid;

-- Nearly all events are of the current day, which two comparisons show. Only the others have their time read from the id.
create or replace function count_new_events() returns trigger
  language plpgsql
as $$
declare
  today date := (now() at time zone 'UTC')::date;
  begins uuid := first_id_at(today::timestamp at time zone 'UTC');
  ends uuid := first_id_at((today + 1)::timestamp at time zone 'UTC');
begin
  insert into list_changes (account_id, mode, list, month, day, difference)
  select account_id, mode, event_type, date_trunc('month', day::timestamp)::date, day, entries
  from (
    select account_id, mode, event_type,
      case when id >= begins and id < ends then today else (time_of_id(id) at time zone 'UTC')::date end as day,
      count(*) as entries
    from added
    group by 1, 2, 3, 4
  ) as by_day;
  return null;
end
$$;

create or replace function count_new_suppressions() returns trigger
  language plpgsql
as $$
begin
  insert into list_changes (account_id, mode, list, day, difference)
  select account_id, mode, 'suppressions', (time_of_id(id) at time zone 'UTC')::date, count(*)
  from added
  group by 1, 2, 4;
  return null;
end
$$;

create or replace function count_removed_suppressions() returns trigger
  language plpgsql
as $$
begin
  insert into list_changes (account_id, mode, list, day, difference)
  select account_id, mode, 'suppressions', (time_of_id(id) at time zone 'UTC')::date, -count(*)
  from removed
  group by 1, 2, 4;
  return null;
end
$$;

-- Deleting a change folds it: the statement that deletes it adds it to list_counts, and this trigger to list_days. It is a trigger
-- and not part of that statement, so that a worker of the previous release folds the days as well.
create function fold_days() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  insert into list_days as known (account_id, mode, list, day, count)
  select account_id, mode, list, day, sum(difference)
  from folded
  where day is not null
  group by account_id, mode, list, day
  order by account_id, mode, list, day
  on conflict (account_id, mode, list, day) do update
  set count = known.count + excluded.count;
  return null;
end
$$;

create trigger list_changes_folded
  after delete on list_changes
  referencing old table as folded
  for each statement
  execute function fold_days();
