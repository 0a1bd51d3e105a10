-- Expands. Contents that outlive their weekly partition: those of sends that are still queued when their own retention ends.
-- Without this table, one send of an account on hold keeps the content of every account of that week.
create table kept_contents (
  id uuid not null,
  sealed bytea not null,
  kept_at timestamptz not null default now(),
  -- With the time, so that the check below reads the index only.
  constraint kept_contents_id_once primary key (id) include (kept_at)
);

-- Sealed bytes do not compress.
alter table kept_contents alter column sealed set storage external;

-- Drops the oldest partition of contents that ended before the retention time and whose queued sends all have a copy, and returns
-- its name, or null when there is none. It waits for each lock for half a second at most.
-- 1. No send of the partition can enter the queue: `retry-failed` locks rows of kept_contents, and accept writes to the partition.
--    Claims only read both tables, so they do not wait.
-- 2. The check can take seconds when many sends are parked. A copy counts one minute after it was made: no statement runs that long, so
--    every reader that misses the partition sees the copy. Both inner queries read in the order of their index, so that PostgreSQL
--    merges them: 10,000 sends took a third of the time of 10,000 lookups.
-- 3. Detaching locks send_contents against every statement, acceptance included, so nothing slow happens after it.
create or replace function drop_oldest_contents(retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  expired record;
begin
  if retention_days < 7 then
    raise exception 'contents are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of send_contents', 0));
  for expired in
    select r.name, first_id_at(r.starts_at) as first_id, first_id_at(r.ends_at) as end_id
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
    execute format('alter table send_contents detach partition %I', expired.name);
    execute format('drop table %I', expired.name);
    return expired.name;
  end loop;
  return null;
end
$$;
