-- Expands. Who did what in an account (audit/). The statement that does a management action inserts its entry, so neither exists without
-- the other. Rows are never changed: a trigger refuses it to every role, and accounts may only insert and read. Partitioned by month
-- like sends; whole partitions are dropped AUDIT_RETENTION_DAYS after they end.
create table audit_entries (
  -- A failed log-in has an id of its user, minute and failure, so that a second one conflicts. All others are random.
  id uuid not null,
  account_id uuid not null,
  at timestamptz not null default now(),
  actor_kind text not null,
  actor_id text,
  -- As it was then: the email of a user, the prefix of a key, the user of the operating system for the command line.
  actor_name text,
  action text not null,
  target_kind text not null,
  target_id text,
  target_name text,
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  -- Of an operator, who has to give one.
  reason text,
  -- The only index, and the order of the list: no plan can read the entries of other accounts.
  constraint audit_entries_once primary key (account_id, id),
  constraint audit_entries_actor_known check (
    actor_kind in ('user', 'key', 'operator', 'command-line', 'system', 'anonymous')
  )
) partition by range (id);

-- Empty unless partitions were not made in time. A row in it raises an alarm.
create table audit_entries_default partition of audit_entries default;

-- The function that ends the retention sets postern.audit_retention for its own transaction.
create function refuse_audit_change() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' and current_setting('postern.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'audit entries are never changed or deleted' using errcode = 'restrict_violation';
end;
$$;

create trigger audit_entries_are_final
  before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_stay
  before truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- Who acts, for the entry: what the caller knows is in `actor`; the rest is looked up. With the rights of the statement, so an account finds
-- only its own members and keys.
create function audit_actor_name(actor jsonb) returns text
  language sql stable
  return coalesce(
    actor ->> 'name',
    case
      when actor ->> 'kind' in ('user', 'operator') then (
        select coalesce(contact_email, email) from users where id = (actor ->> 'id')::uuid
      )
      when actor ->> 'kind' = 'key' then (select key_prefix from api_keys where id = (actor ->> 'id')::uuid)
    end
  );

-- The inputs of management actions are bounded already; this bounds an entry whatever they are.
create function bounded_facts(facts jsonb) returns jsonb
  language sql immutable
  return case when length(facts::text) > 4000 then '{"truncated": true}'::jsonb else facts end;

-- The id of "a log-in of this user failed like this in this minute".
create function failed_login_id(user_id uuid, failure jsonb, moment timestamptz) returns uuid
  language sql stable parallel safe
  return (
    select (left(replace(first_id_at(date_trunc('minute', moment, 'UTC'))::text, '-', ''), 12)
      || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid
    from encode(sha256(convert_to(user_id::text || ' failed log-in ' || failure::text, 'UTF8')), 'hex') as hash
  );

create policy own_account on audit_entries
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table audit_entries enable row level security;
grant select, insert on audit_entries to pg_database_owner;

create or replace view partition_ranges as
select
  parent.relname::text as parent,
  part.relname::text as name,
  time_of_id(bounds.both_ends[1]::uuid) as starts_at,
  time_of_id(bounds.both_ends[2]::uuid) as ends_at
from pg_inherits link
join pg_class parent on parent.oid = link.inhparent
join pg_class part on part.oid = link.inhrelid
cross join lateral (
  select regexp_match(pg_get_expr(part.relpartbound, part.oid), 'FROM \(''(.+)''\) TO \(''(.+)''\)') as both_ends
) bounds
where link.inhparent in ('sends'::regclass, 'send_contents'::regclass, 'events'::regclass, 'audit_entries'::regclass);

-- As in 0012, with the audit entries.
create or replace function make_next_partition(of_table text, by_span text, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '2s'
as $$
declare
  utc timestamp := moment at time zone 'UTC';
  step interval := '1 ' || by_span;
  attached bigint;
  starts timestamp;
  ends timestamp;
  is_taken boolean;
  stray text;
  made text;
begin
  if of_table not in ('sends', 'send_contents', 'events', 'audit_entries') or by_span not in ('month', 'week') then
    raise exception 'no partitions are made of % by %', of_table, by_span;
  end if;
  -- A second caller waits here and then sees the partition that the first one made.
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select count(*), max(r.ends_at) at time zone 'UTC'
  into attached, starts
  from partition_ranges r
  where r.parent = of_table;
  if starts >= utc + interval '3 months' then
    return null;
  end if;
  -- Every partition makes planning and locking slower.
  if attached >= 200 then
    raise exception '% has % partitions, and more would make its statements slow', of_table, attached
      using errcode = 'program_limit_exceeded', hint = 'Detach old partitions, or set PARTITION_SPAN=month.';
  end if;

  -- The first partition covers the span before the current one, for clocks that are slow.
  starts := coalesce(starts, date_trunc(by_span, utc) - step);
  ends := date_trunc(by_span, starts) + step;
  execute format('select exists (select from %I where id >= $1 and id < $2)', of_table || '_default')
  into is_taken
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  -- Rows that arrived without a partition stay in the default one, and so do the rows of the next minutes.
  if is_taken then
    starts := greatest(starts, date_trunc('minute', utc) + interval '5 minutes');
    ends := date_trunc(by_span, starts) + step;
  end if;

  -- A row with a future date, written by a wrong clock, stays there too: the new partition ends before it.
  execute format('select min(id::text) from %I where id >= $1 and id < $2', of_table || '_default')
  into stray
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  if stray is not null then
    ends := time_of_id(stray::uuid) at time zone 'UTC';
    -- No partition can cover that moment. The row in the default partition raises the alarm.
    if ends <= starts then
      return null;
    end if;
  end if;

  made := of_table || to_char(starts, case
    when by_span = 'month' and starts = date_trunc('month', starts) then '_YYYY_MM'
    when starts = date_trunc('day', starts) then '_YYYY_MM_DD'
    else '_YYYY_MM_DD_HH24MI'
  end);
  execute format('create table %I (like %I including all)', made, of_table);
  -- `like` does not copy settings. Bodies of a few KB stay in the row. A send is stored, then sent, then delivered: with half of
  -- each page kept free, both updates stay in the page and touch no index. Measured over 20,000 sends with fillfactor 100, 70
  -- and 50: updates within the page 7, 57, 87 %; WAL for a send 1,519, 1,271, 1,093 bytes; disk for a send 942, 835, 725 bytes.
  if of_table = 'send_contents' then
    execute format('alter table %I set (toast_tuple_target = 8160)', made);
  elsif of_table = 'sends' then
    execute format('alter table %I set (fillfactor = 50)', made);
  end if;
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    of_table, made, first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC')
  );
  return made;
end
$$;

-- Drops the oldest partition of audit entries that ended before the retention time, and returns its name, or null when there is none. Then
-- it also deletes the old entries of the default partition. Detaching locks audit_entries against management actions, so it waits
-- for the lock for half a second at most.
create function drop_oldest_audit(retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  ended_before timestamptz := moment - make_interval(hours => 24 * retention_days);
  expired text;
begin
  if retention_days < 30 then
    raise exception 'audit entries are kept for 30 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of audit_entries', 0));
  select r.name
  into expired
  from partition_ranges r
  where r.parent = 'audit_entries'
    and r.ends_at <= ended_before
  order by r.starts_at
  limit 1;
  if expired is null then
    perform set_config('postern.audit_retention', 'on', true);
    delete from audit_entries_default where id < first_id_at(ended_before);
    perform set_config('postern.audit_retention', 'off', true);
    return null;
  end if;
  execute format('alter table audit_entries detach partition %I', expired);
  execute format('drop table %I', expired);
  return expired;
end
$$;

revoke all on function drop_oldest_audit (integer, timestamptz) from public;
