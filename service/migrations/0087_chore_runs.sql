-- Expands. When each chore runs next and which run has it now (loops/chore-runs.ts). Workers of the release before use pg-boss in the schema
-- pgboss. While both run, a chore may run in both at once, which every chore allows.
create table chore_runs (
  name text not null,
  -- It runs from then on, when no run has it.
  due_at timestamptz not null,
  -- The lease of the run that goes on. Null when none does; one that passed is of a process that crashed.
  leased_until timestamptz,
  -- Counts the runs. A run that lost its lease has an older number and changes nothing.
  run integer not null default 0,
  constraint chore_runs_once primary key (name)
);
