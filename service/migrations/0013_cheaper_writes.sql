-- Less to write for each send and each event.

-- A send is stored, then sent, then delivered: two changes, of which the second follows within seconds. With half of a page
-- kept free for them they stay in it and touch no index. Measured over 20,000 sends (settings 100, 70, 50): changes that stay
-- in the page 7, 57, 87 %; WAL for a send 1,519, 1,271, 1,093 bytes; table and indexes for a send 942, 835, 725 bytes.
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
  -- `like` does not copy settings. Bodies of a few KB stay in the row; a page of sends keeps room for what is still to come.
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

do $$
declare
  partition text;
begin
  for partition in
    select link.inhrelid::regclass::text from pg_inherits link where link.inhparent = 'sends'::regclass
  loop
    execute format('alter table %s set (fillfactor = 50)', partition);
  end loop;
end
$$;

-- Nearly all events are of this month, and two comparisons tell; only the others have their time read out of their id.
create or replace function count_new_events() returns trigger
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
