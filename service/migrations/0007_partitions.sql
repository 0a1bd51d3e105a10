-- Making and dropping partitions. The two functions that change the schema run with the rights of the role that migrates,
-- so that a worker needs none of its own. Nobody else may call them: a worker with another role is granted execute.

-- The least UUIDv7 of a moment: where a range of ids that begins then begins.
create function first_id_at(moment timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;

create function time_of_id(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return timestamptz 'epoch'
    + ('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint * interval '1 millisecond';

-- Every attached partition; the default one has no times.
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

-- Makes the one partition that is missing next and returns its name, or null when three months from `moment` are there.
-- It begins where the newest ends, so a change of span leaves no gap and no overlap. Each call is a short transaction.
-- `create table partition of` would wait for everyone who uses the table; attaching waits for users of the default
-- partition only, and gives up after two seconds.
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
  -- Whoever comes second waits here and then sees what the first one made.
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select count(*), max(r.ends_at) at time zone 'UTC'
  into attached, starts
  from partition_ranges r
  where r.parent = of_table;
  if starts >= utc + interval '3 months' then
    return null;
  end if;
  -- Planning and locking take longer with each one.
  if attached >= 200 then
    raise exception '% has % partitions, and more would make its statements slow', of_table, attached
      using errcode = 'program_limit_exceeded', hint = 'Detach old partitions, or set PARTITION_SPAN=month.';
  end if;

  -- The first one is that before the present one, for clocks that are slow.
  starts := coalesce(starts, date_trunc(by_span, utc) - step);
  ends := date_trunc(by_span, starts) + step;
  execute format('select exists (select from %I where id >= $1 and id < $2)', of_table || '_default')
  into is_taken
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  -- What came while there was no partition stays in the default one, and so does what comes in the next minutes.
  if is_taken then
    starts := greatest(starts, date_trunc('minute', utc) + interval '5 minutes');
    ends := date_trunc(by_span, starts) + step;
  end if;

  -- One that is dated ahead, from when a clock was wrong, stays there too: what is made now ends before it.
  execute format('select min(id::text) from %I where id >= $1 and id < $2', of_table || '_default')
  into stray
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  if stray is not null then
    ends := time_of_id(stray::uuid) at time zone 'UTC';
    -- Nothing can be made of its very moment; the default partition in use is what raises the alarm.
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
  -- Bodies of a few KB stay in the row. `like` does not copy this.
  if of_table = 'send_contents' then
    execute format('alter table %I set (toast_tuple_target = 8160)', made);
  end if;
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    of_table, made, first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC')
  );
  return made;
end
$$;

-- Drops the oldest partition of contents whose last moment is longer ago than the retention, and returns its name, or
-- null when there is none. One that holds a send still on its way is kept. Detaching locks send_contents against
-- everyone, accepting included, so it waits half a second at most.
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

alter table send_contents_default set (toast_tuple_target = 8160);
