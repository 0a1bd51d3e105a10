-- Which run of which database this is: the server's start and the number of the database. A promoted standby, a restored
-- copy and a loaded dump all have another one than the row says that came with the data; so has the same server after a
-- restart. It costs a claim some microseconds, and any role may ask.
create function server_run() returns text
  language sql stable
  return (
    select extract(epoch from pg_postmaster_start_time())::text || '/' || d.oid::text
    from pg_database d
    where d.datname = current_database()
  );

-- Which history this is: system identifier, timeline, number of the database; a question mark for what a managed server
-- does not tell. The timeline is that of the WAL being written: pg_control_checkpoint() still has the old one for a while
-- after a promotion.
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

-- How much of this history is on disk. It never goes back, not even by a crash, unless an older copy took its place.
create function server_position() returns pg_lsn
  language plpgsql stable
as $$
begin
  return pg_current_wal_flush_lsn();
exception when others then
  return null;
end
$$;

-- Of the row for live mail: the history that was worked on last, the run of it that may be claimed from (none while it is
-- empty text, any while null: no worker has been here yet), and when the last change was noticed.
alter table provider_state
  add column server text,
  add column server_run text,
  add column failover_at timestamptz;

-- Each time this database turned out to be an older copy of itself, or may be one: what is known of its sends may be less
-- than what had been done. All that were on their way, up to last_id, are put in doubt since then; swept_to says how far
-- that is, swept_at when it was done.
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
