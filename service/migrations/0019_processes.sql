-- Expands. The heartbeats of the processes and the last run of each chore, for status/process-state.ts and status/chore-state.ts. They are logged tables: one
-- small write every five seconds per process costs nothing, and after a crash of the server the last heartbeats are still known.
create table processes (
  id uuid not null,
  role text not null,
  -- Host and process number, for the operator.
  name text not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- Since then its heartbeats came without a gap.
  alive_since timestamptz not null,
  -- The orderly stop. A process that vanished has none.
  stopped_at timestamptz,
  claims_failing_since timestamptz,
  -- It cannot read the queue of chores.
  chores_failing_since timestamptz,
  -- The last claim that took a send.
  live_claimed_at timestamptz,
  test_claimed_at timestamptz,
  -- Since then every heartbeat found a send that a worker could claim.
  live_claimable_since timestamptz,
  test_claimable_since timestamptz,
  -- The chores that it runs, each with its pause in seconds.
  chores jsonb not null,
  constraint processes_once primary key (id),
  constraint processes_role_known check (role in ('api', 'worker', 'serve'))
) with (fillfactor = 50);

create table chores (
  name text not null,
  -- The end of the last run, in any process.
  ended_at timestamptz not null,
  -- The first of the failed runs since the last successful one.
  failing_since timestamptz,
  -- Their number.
  failed_runs integer not null,
  constraint chores_once primary key (name)
) with (fillfactor = 50);
