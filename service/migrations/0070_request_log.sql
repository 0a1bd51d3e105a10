-- Expands. The request log: refused API requests of the last 7 days and a sample of accepted ones (request-log/). No column can hold text of
-- a payload: routes are patterns, and the names in `problems` are those of the published interface. Partitioned by day, because client
-- addresses are kept for 7 days only.
create table logged_requests (
  -- Made when the response was sent; it has the time of the entry.
  id uuid not null,
  account_id uuid not null,
  mode text not null,
  method text not null,
  route text not null,
  status smallint not null,
  -- Null for an accepted request.
  error_code text,
  problems jsonb,
  api_key_id uuid,
  user_id uuid,
  address text,
  request_id text not null,
  constraint logged_requests_once primary key (account_id, id),
  constraint logged_requests_mode_known check (mode in ('live', 'test'))
) partition by range (id);

create index logged_requests_request_idx on logged_requests (account_id, request_id, id);

-- Empty unless partitions were not made in time.
create table logged_requests_default partition of logged_requests default;

-- How many entries an account has of an hour and an error code, or of `accepted`. It bounds the log over all API processes.
create table logged_request_hours (
  account_id uuid not null,
  hour timestamptz not null,
  code text not null,
  entries integer not null,
  constraint logged_request_hours_once primary key (account_id, hour, code)
);
create index logged_request_hours_hour_idx on logged_request_hours (hour);

create policy own_account on logged_requests
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table logged_requests enable row level security;
grant select on logged_requests to pg_database_owner;

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
where link.inhparent in ('sends'::regclass, 'send_contents'::regclass, 'attachment_chunks'::regclass, 'events'::regclass,
  'audit_entries'::regclass, 'notifications'::regclass, 'webhook_deliveries'::regclass, 'webhook_attempts'::regclass,
  'logged_requests'::regclass);

-- As in 0061, and by day: three weeks ahead, because each day is a partition, and without days that are over.
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
  if not exists (select from partition_ranges r where r.parent = of_table) or by_span not in ('month', 'week', 'day') then
    raise exception 'no partitions are made of % by %', of_table, by_span;
  end if;
  -- A second caller waits here and then sees the partition that the first one made.
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select count(*), max(r.ends_at) at time zone 'UTC'
  into attached, starts
  from partition_ranges r
  where r.parent = of_table;
  if starts >= utc + (case by_span when 'day' then interval '3 weeks' else interval '3 months' end) then
    return null;
  end if;
  -- Every partition makes planning and locking slower.
  if attached >= 200 then
    raise exception '% has % partitions, and more would make its statements slow', of_table, attached
      using errcode = 'program_limit_exceeded', hint = 'Detach old partitions, or set PARTITION_SPAN=month.';
  end if;

  -- The first partition covers the span before the current one, for clocks that are slow.
  starts := coalesce(starts, date_trunc(by_span, utc) - step);
  -- Days that passed while no worker ran need no partition: their rows are about to be deleted.
  if by_span = 'day' then
    starts := greatest(starts, date_trunc(by_span, utc) - step);
  end if;
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

-- Drops the oldest day whose 7 days are over and returns its name. Null when there is none; then it deletes what is left of older days.
create function drop_oldest_requests(moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  ended_before timestamptz := moment - interval '168 hours';
  expired text;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of logged_requests', 0));
  select r.name
  into expired
  from partition_ranges r
  where r.parent = 'logged_requests'
    and r.ends_at <= ended_before
  order by r.starts_at
  limit 1;
  if expired is null then
    delete from logged_requests_default where id < first_id_at(ended_before);
    delete from logged_request_hours where hour < ended_before;
    return null;
  end if;
  execute format('alter table logged_requests detach partition %I', expired);
  execute format('drop table %I', expired);
  return expired;
end
$$;

revoke all on function drop_oldest_requests (timestamptz) from public;
