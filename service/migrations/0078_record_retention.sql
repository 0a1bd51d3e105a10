-- Expands. The retention of records, RECORD_RETENTION_DAYS (storage/old-records.ts). Off by default: then none of these functions runs.
create table record_retention (
  is_only_row boolean primary key default true,
  -- RECORD_RETENTION_DAYS at the last run of the chore; null while it is not set.
  retention_days integer,
  -- Records from before it are dropped, or will be by a run that has begun. It only grows. Null when nothing was dropped yet.
  dropped_before timestamptz,
  -- The next block of idempotency_keys to look at; null when no dropped send has a key.
  keys_block bigint,
  -- The last search entry that was looked at; both null when no dropped send has an entry.
  searched_key bigint,
  searched_send_id uuid,
  constraint record_retention_one_row check (is_only_row)
);

insert into record_retention default values;

-- For requests of an account, which may not read the table.
create function records_dropped_before() returns timestamptz
  language sql stable
  security definer
  set search_path = public, pg_temp
  return (select dropped_before from record_retention);

revoke all on function records_dropped_before () from public;
grant execute on function records_dropped_before () to pg_database_owner;

-- Deletes old events, with their part of the totals, in one step of at most `at_most`. `next_id` is where the next step begins; null after
-- the last one. The statements on partitioned tables name constants: PostgreSQL then selects the partitions before it runs them, and does
-- not select again for a row that another transaction has just changed (number_notification, 0050).
create function drop_old_events(from_id uuid, ended_before timestamptz, at_most integer, out dropped bigint, out next_id uuid)
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  end_id uuid := first_id_at(ended_before);
begin
  perform require_droppable(ended_before);
  execute format(
    'select id from events where id >= %L and id < %L order by id offset %s limit 1', from_id, end_id, at_most
  ) into next_id;
  execute format(
    $delete$
      with deleted as (
        delete from events
        where id >= %L
          and id < %L
        returning account_id, mode, event_type, (time_of_id(id) at time zone 'UTC')::date as day
      ), uncounted as (
        insert into list_changes (account_id, mode, list, month, day, difference)
        select account_id, mode, event_type, date_trunc('month', day::timestamp)::date, day, -count(*)
        from deleted
        group by account_id, mode, event_type, day
      )
      select count(*)
      from deleted
    $delete$, from_id, coalesce(next_id, end_id)
  ) into dropped;
end
$$;

-- Which of these sends can go. The others stay:
-- 1. with an event, which lists show with the id of the send,
-- 2. on their way: queued, in doubt or scheduled,
-- 3. submitted in the time that is kept: their events can still arrive,
-- 4. with a notification whose text is not written yet, because that needs the record.
create function droppable_sends(ids uuid[], ended_before timestamptz) returns uuid[]
  language plpgsql
  set search_path = public, pg_temp
as $$
declare
  first_id uuid := ids[1];
  last_id uuid := ids[cardinality(ids)];
  droppable uuid[];
begin
  execute format(
    $find$
      select array_agg(s.id order by s.id)
      from sends s
      where s.id = any (%1$L::uuid[])
        and (s.sent_at is null or s.sent_at < %2$L)
        and s.id not in (select e.send_id from events e where e.send_id >= %3$L and e.send_id <= %4$L)
        and s.id not in (select q.id from send_queue q where q.id >= %3$L and q.id <= %4$L)
        and s.id not in (select p.id from scheduled_sends p where p.id >= %3$L and p.id <= %4$L)
        and s.id not in (select n.send_id from notifications n where n.envelope is null and n.send_id >= %3$L and n.send_id <= %4$L)
    $find$, ids, ended_before, first_id, last_id
  ) into droppable;
  return droppable;
end
$$;

-- Looks at the next `at_most` old sends after `after_id`, and deletes those that can go, with all that belongs to them. `last_id` is where
-- the next step continues; null after the last one.
--
-- It decides after it has locked the rows, in a new snapshot. What makes a send stay either locks its row (a retry by the operator, a
-- notification, an event: see count_new_events below), or is in the queue before. A row that somebody else has locked stays until the next run.
create function drop_old_sends(after_id uuid, ended_before timestamptz, at_most integer, out dropped bigint, out last_id uuid)
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  ids uuid[];
begin
  perform require_droppable(ended_before);
  dropped := 0;
  execute format(
    'select array_agg(id order by id) from (select id from sends where id > %L and id < %L order by id limit %s) as old',
    after_id, first_id_at(ended_before), at_most
  ) into ids;
  if cardinality(ids) = at_most then
    last_id := ids[at_most];
  end if;
  ids := droppable_sends(ids, ended_before);
  if ids is null then
    return;
  end if;
  execute format(
    'select array_agg(id order by id) from (select id from sends where id = any (%L::uuid[]) order by id for update skip locked) as locked', ids
  ) into ids;
  ids := droppable_sends(ids, ended_before);
  if ids is null then
    return;
  end if;
  update suppressions set send_id = null where send_id = any (ids);
  delete from send_attempts where send_id = any (ids);
  delete from delivery_delays where send_id = any (ids);
  delete from kept_contents where id = any (ids);
  delete from kept_attachment_chunks where id = any (ids);
  execute format('delete from send_contents where id = any (%L::uuid[])', ids);
  execute format('delete from attachment_chunks where id = any (%L::uuid[])', ids);
  execute format('delete from sends where id = any (%L::uuid[])', ids);
  dropped := cardinality(ids);
  -- Their keys and search entries are found by reading those tables, from the beginning.
  update record_retention
  set keys_block = 0, searched_key = -1, searched_send_id = '00000000-0000-0000-0000-000000000000';
end
$$;

-- Deletes the idempotency keys of dropped sends in the next blocks of the table, and notes how far it came. Returns null when there is nothing
-- to do. The table has no index by send, because every accepted send would pay for it; a run reads it once after sends were dropped.
create function drop_old_keys(blocks integer) returns bigint
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  from_block bigint;
  end_id uuid;
  gone uuid[];
begin
  select r.keys_block, first_id_at(r.dropped_before)
  into from_block, end_id
  from record_retention r
  where r.keys_block is not null
  for update;
  if from_block is null then
    return null;
  end if;
  gone := array(
    select k.key_hash
    from idempotency_keys k
    where k.ctid >= format('(%s,0)', from_block)::tid
      and k.ctid < format('(%s,0)', from_block + blocks)::tid
      and k.send_id < end_id
      -- Not with "not exists", which may become a join that reads all sends.
      and (select true from sends s where s.id = k.send_id limit 1) is null
  );
  -- A key of that name that is used again meanwhile belongs to a new send.
  delete from idempotency_keys where key_hash = any (gone) and send_id < end_id;
  update record_retention
  set keys_block = case
    when from_block + blocks < pg_relation_size('idempotency_keys') / current_setting('block_size')::bigint then from_block + blocks end;
  return cardinality(gone);
end
$$;

-- Deletes search entries of dropped sends, in the order of the index, and notes how far it came. Returns null when there is nothing to do, or
-- while entries of that time are not merged yet (0029).
create function drop_old_searches(at_most integer) returns bigint
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  retention record;
  keys bigint[];
  sends_of uuid[];
  deleted bigint;
begin
  select r.searched_key, r.searched_send_id, first_id_at(r.dropped_before) as end_id,
    ((fine_bucket(first_id_at(r.dropped_before)) >> 10) + 1) << 36 as end_key
  into retention
  from record_retention r
  cross join search_progress p
  where r.searched_key is not null
    and p.merging_bucket > fine_bucket(first_id_at(r.dropped_before)) >> 10
  for update of r;
  -- The lock of all chores that change the entries (storage/search-steps.ts).
  if retention.searched_key is null or not pg_try_advisory_xact_lock(hashtextextended('search entries', 0)) then
    return null;
  end if;
  select array_agg(entry.key order by entry.key, entry.send_id), array_agg(entry.send_id order by entry.key, entry.send_id)
  into keys, sends_of
  from (
    select s.key, s.send_id
    from send_searches s
    where (s.key, s.send_id) > (retention.searched_key, retention.searched_send_id)
      and s.key < retention.end_key
    order by s.key, s.send_id
    limit at_most
  ) as entry;
  with gone as materialized (
    select entry.key, entry.send_id
    from unnest(keys, sends_of) as entry (key, send_id)
    where entry.send_id < retention.end_id
      and (select true from sends where sends.id = entry.send_id limit 1) is null
  )
  delete from send_searches s
  using gone
  where s.key = gone.key
    and s.send_id = gone.send_id;
  get diagnostics deleted = row_count;
  if cardinality(keys) = at_most then
    update record_retention set searched_key = keys[at_most], searched_send_id = sends_of[at_most];
  else
    update record_retention set searched_key = null, searched_send_id = null;
  end if;
  return deleted;
end
$$;

-- Drops the oldest partition of sends or events from before that time that has no row left, and returns its name; null when there is none.
-- Detaching locks the table against every statement, so the search for rows comes before it, and repeats after it only what it has just read.
create function drop_empty_records(ended_before timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
  set enable_seqscan = off
as $$
declare
  old record;
  is_used boolean;
begin
  perform require_droppable(ended_before);
  for old in
    select r.parent, r.name
    from partition_ranges r
    where r.parent in ('sends', 'events')
      and r.ends_at <= ended_before
    order by r.starts_at, r.parent
  loop
    execute format('select exists (select from %I order by id limit 1)', old.name) into is_used;
    continue when is_used;
    perform pg_advisory_xact_lock(hashtextextended('partitions of ' || old.parent, 0));
    execute format('alter table %I detach partition %I', old.parent, old.name);
    execute format('select exists (select from %I order by id limit 1)', old.name) into is_used;
    if is_used then
      raise exception 'a row was added to % meanwhile', old.name using errcode = 'serialization_failure';
    end if;
    execute format('drop table %I', old.name);
    return old.name;
  end loop;
  return null;
end
$$;

create function require_droppable(ended_before timestamptz) returns void
  language plpgsql stable
as $$
begin
  if ended_before > now() - interval '60 days' then
    raise exception 'records are kept for 60 days at least, not only since %', ended_before;
  end if;
end
$$;

revoke all on function drop_old_events (uuid, timestamptz, integer) from public;
revoke all on function droppable_sends (uuid[], timestamptz) from public;
revoke all on function drop_old_sends (uuid, timestamptz, integer) from public;
revoke all on function drop_old_keys (integer) from public;
revoke all on function drop_old_searches (integer) from public;
revoke all on function drop_empty_records (timestamptz) from public;

-- As in 0016. New: an event about a send that is old enough to be dropped locks its record, as a foreign key would, so that the send does not
-- go while its event is being stored. The id is a constant of the statement: see above.
create or replace function count_new_events() returns trigger
  language plpgsql
as $$
declare
  today date := (now() at time zone 'UTC')::date;
  begins uuid := first_id_at(today::timestamp at time zone 'UTC');
  ends uuid := first_id_at((today + 1)::timestamp at time zone 'UTC');
  may_be_dropped uuid := first_id_at(now() - interval '59 days');
  send uuid;
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
  for send in
    select distinct send_id
    from added
    where send_id < may_be_dropped
    order by send_id
  loop
    execute format('select from sends where id = %L for key share', send);
  end loop;
  return null;
end
$$;
