-- Expands. Which code may run on this schema (db/code-range.ts), and which contract steps have run (docs/upgrades.md).
create table schema_range (
  is_only boolean not null default true,
  -- The number of the newest expand step.
  level integer not null,
  -- The newest expand step that the oldest permitted code knows. `postern migrate --contract` raises it.
  oldest_code integer not null,
  raised_at timestamptz,
  constraint schema_range_once primary key (is_only),
  constraint schema_range_is_single check (is_only)
);

-- Code from before this step does not look at the range.
insert into schema_range (level, oldest_code) values (80, 79);

create table schema_contracts (
  id integer generated always as identity,
  name text not null,
  run_on timestamptz not null,
  constraint schema_contracts_once primary key (name)
);

-- Volatile, so that the planner does not call it.
create function refuse_code() returns boolean
  language plpgsql
  volatile
  set search_path = public, pg_temp
as $$
begin
  raise exception 'this code is too old or too new for the schema' using errcode = 'PS001';
end
$$;

-- What older code would ignore may be switched on only when this is true of the step that brought it.
create function every_process_knows(step integer) returns boolean
  language sql
  stable
  set search_path = public, pg_temp
as $$
  select oldest_code >= step from schema_range
$$;

-- Null: code from before this step.
alter table processes add column code_level integer;
