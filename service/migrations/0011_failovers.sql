-- The run of the database server: its start time and the number of the database. It differs from the stored one after a
-- restart, on a promoted standby, on a restored copy and after a dump was loaded. Any role may call it, in microseconds.
create function server_run() returns text
  language sql stable
  return (
    select extract(epoch from pg_postmaster_start_time())::text || '/' || d.oid::text
    from pg_database d
    where d.datname = current_database()
  );

-- The history of the database: system identifier, timeline, number of the database, with a question mark for what a managed
-- server does not show. The timeline is the one of the WAL being written: pg_control_checkpoint() shows the old one for a
-- while after a promotion.
create function server_identity() returns text
  language plpgsql stable
as $$
declare
  system text;
  timeline text;
begin
  begin
    select system_identifier::text into system from pg_control_system();
  exception when others then
    system := null;
  end;
  begin
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  exception when others then
    timeline := null;
  end;
  return coalesce(system, '?') || '/' || coalesce(timeline, '?')
    || '/' || (select oid::text from pg_database where datname = current_database());
end
$$;

-- How much of this history is on disk. It never decreases, not even by a crash, unless an older copy took its place.
create function server_position() returns pg_lsn
  language plpgsql stable
as $$
begin
  return pg_current_wal_flush_lsn();
exception when others then
  return null;
end
$$;

-- Every time the database was, or may have been, replaced by an older copy of itself: its sends may be further than it
-- knows. A worker marks all sends on their way, up to last_id, as in doubt since in_doubt_since; swept_to says how far it is,
-- swept_at when it was done.
create table failovers (
  id bigint generated always as identity primary key,
  noticed_at timestamptz not null default now(),
  cause text not null,
  server_before text,
  server_after text not null,
  in_doubt_since timestamptz not null,
  last_id uuid,
  swept_to uuid not null default '00000000-0000-0000-0000-000000000000',
  swept_at timestamptz,
  sends integer not null default 0,
  constraint failovers_cause_known check (cause in ('server', 'rewound', 'feedback', 'operator'))
);
