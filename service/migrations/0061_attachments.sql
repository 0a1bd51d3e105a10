-- Expands. Attachments, in sealed chunks (attachments/). The API stores the chunks before it accepts the send, under the id that the send will
-- have; the accept statement counts them and deletes the row of `pending_attachments`, which links them to the send. A chore deletes what is
-- pending for an hour.

-- First, because it is the only lock on a table that others use. The sealed bytes of all chunks. Null for a send without attachments, which
-- costs nothing.
alter table sends add column attachment_bytes integer;

create table attachment_chunks (
  id uuid not null,
  part smallint not null,
  number smallint not null,
  sealed bytea not null,
  constraint attachment_chunks_once primary key (id, part, number)
) partition by range (id);

-- Sealed bytes do not compress.
alter table attachment_chunks alter column sealed set storage external;

-- Empty unless partitions were not made in time.
create table attachment_chunks_default partition of attachment_chunks default;

-- Chunks that outlive their week, as in kept_contents (0022). The chunks of a send are copied together.
create table kept_attachment_chunks (
  id uuid not null,
  part smallint not null,
  number smallint not null,
  sealed bytea not null,
  kept_at timestamptz not null default now(),
  constraint kept_attachment_chunks_once primary key (id, part, number)
);
alter table kept_attachment_chunks alter column sealed set storage external;

create table pending_attachments (
  send_id uuid primary key,
  account_id uuid not null,
  stored_at timestamptz not null default now()
);
create index pending_attachments_stored_idx on pending_attachments (stored_at);

-- A chunk of a send of the account; null when Postern does not have it. Security definer, like content_of_send (0044).
create function attachment_chunk_of_send(account uuid, send uuid, of_part integer, of_number integer) returns bytea
  language sql stable
  security definer
  set search_path = public, pg_temp
as $$
  select coalesce(
    (select c.sealed from attachment_chunks c where c.id = s.id and c.part = of_part and c.number = of_number),
    (select k.sealed from kept_attachment_chunks k where k.id = s.id and k.part = of_part and k.number = of_number)
  )
  from sends s
  where s.account_id = account
    and s.id = send
    and account = coalesce(acting_account(), account)
$$;

revoke all on function attachment_chunk_of_send (uuid, uuid, integer, integer) from public;
grant execute on function attachment_chunk_of_send (uuid, uuid, integer, integer) to pg_database_owner;

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
  'audit_entries'::regclass, 'notifications'::regclass, 'webhook_deliveries'::regclass, 'webhook_attempts'::regclass);

-- As in 0047, for every table of partition_ranges.
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
  if not exists (select from partition_ranges r where r.parent = of_table) or by_span not in ('month', 'week') then
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

-- Is there an unfinished send with an id from `first_id` up to `end_id` whose attachments have no copy of their own that counts (0022)?
create function needs_attachments(first_id uuid, end_id uuid) returns boolean
  language plpgsql stable
  set search_path = public, pg_temp
as $$
begin
  return exists (
    select
    from send_queue q
    where q.id >= first_id
      and q.id < end_id
      and q.attachment_bytes is not null
      and not exists (select from kept_attachment_chunks k where k.id = q.id and k.kept_at < now() - interval '1 minute')
      and exists (select from attachment_chunks c where c.id = q.id)
  );
end
$$;

-- As in 0022, with the attachments: a send of the week with attachments must have its copy of them too, and their partition is dropped with
-- the contents.
create or replace function drop_oldest_contents(retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  expired record;
  chunks record;
begin
  if retention_days < 7 then
    raise exception 'contents are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of send_contents', 0));
  for expired in
    select r.name, r.starts_at, r.ends_at, first_id_at(r.starts_at) as first_id, first_id_at(r.ends_at) as end_id
    from partition_ranges r
    where r.parent = 'send_contents'
      and r.ends_at <= moment - make_interval(hours => 24 * retention_days)
    order by r.starts_at
  loop
    lock table kept_contents in exclusive mode;
    execute format('lock table %I in share row exclusive mode', expired.name);
    continue when exists (
      select from (
        select queued.id
        from (
          select q.id
          from send_queue q
          where q.id >= expired.first_id
            and q.id < expired.end_id
          order by q.id
          offset 0
        ) queued
        where not exists (
          select from (
            select k.id
            from kept_contents k
            where k.id >= expired.first_id
              and k.id < expired.end_id
              and k.kept_at < now() - interval '1 minute'
            order by k.id
            offset 0
          ) copy
          where copy.id = queued.id
        )
        offset 0
      ) unkept
      where exists (select from send_contents c where c.id = unkept.id)
    );
    continue when needs_attachments(expired.first_id, expired.end_id);
    execute format('alter table send_contents detach partition %I', expired.name);
    execute format('drop table %I', expired.name);
    -- Both tables have partitions that begin and end within one week.
    for chunks in
      select r.name
      from partition_ranges r
      where r.parent = 'attachment_chunks'
        and r.ends_at > expired.starts_at
        and r.ends_at <= expired.ends_at
    loop
      execute format('alter table attachment_chunks detach partition %I', chunks.name);
      execute format('drop table %I', chunks.name);
    end loop;
    return expired.name;
  end loop;
  return null;
end
$$;
