-- Making and dropping partitions. The two functions that change the schema run with the rights of the role that migrates, so a
-- worker needs no such right. Nobody else may call them; a worker with another role is granted execute.

-- Every attached partition. The default one has no times.
create view partition_ranges as
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
where link.inhparent in ('sends'::regclass, 'send_contents'::regclass, 'events'::regclass);

-- Makes the next missing partition and returns its name, or null when partitions cover the three months after `moment`. It
-- begins where the newest one ends, so a change of span leaves no gap and no overlap. Each call is a short transaction.
-- `create table … partition of` would wait for every user of the table; attaching waits only for users of the default
-- partition, and gives up after two seconds.
create function make_next_partition(of_table text, by_span text, moment timestamptz) returns text
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
  if of_table not in ('sends', 'send_contents', 'events') or by_span not in ('month', 'week') then
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

-- Drops the oldest partition of contents that ended before the retention time, and returns its name, or null when there is
-- none. A partition with a send on its way is kept. Detaching locks send_contents against every statement, acceptance
-- included, so it waits for the lock for half a second at most.
create function drop_oldest_contents(retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  expired text;
begin
  if retention_days < 7 then
    raise exception 'contents are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of send_contents', 0));
  select r.name
  into expired
  from partition_ranges r
  where r.parent = 'send_contents'
    and r.ends_at <= moment - make_interval(hours => 24 * retention_days)
    and not exists (
      select from send_queue q where q.id >= first_id_at(r.starts_at) and q.id < first_id_at(r.ends_at)
    )
  order by r.starts_at
  limit 1;
  if expired is null then
    return null;
  end if;
  execute format('alter table send_contents detach partition %I', expired);
  execute format('drop table %I', expired);
  return expired;
end
$$;

revoke all on function make_next_partition (text, text, timestamptz) from public;
revoke all on function drop_oldest_contents (integer, timestamptz) from public;
