-- One row: the provider this database was first used with. One record must not mix real and simulated sends.
create table cell (
  only_row boolean primary key default true,
  provider text not null,
  constraint cell_one_row check (only_row),
  constraint cell_provider_known check (provider in ('ses', 'simulator'))
);

-- One row: when the next control call to the provider may start. SES allows one a second per AWS account. Postern leaves 1.2
-- seconds between two calls, because the network may bring them closer together.
create table control_budget (
  only_row boolean primary key default true,
  next_at timestamptz not null default now(),
  spacing interval not null default '1.2 seconds',
  constraint control_budget_one_row check (only_row)
);

insert into control_budget default values;

-- One row for live mail and one for the sandbox.
create table provider_state (
  mode text primary key,
  max_per_second double precision,
  quota_read_at timestamptz,
  -- The hold that the provider's answers led to. Workers claim nothing but one probe a minute. held_for sums up earlier
  -- holds of both kinds.
  hold_reason text,
  held_since timestamptz,
  probe_at timestamptz,
  held_for interval not null default '0',
  -- The hold of the operator, beside the other one. Only the operator releases it, and workers do not probe.
  operator_held_since timestamptz,
  operator_note text,
  -- Of the row for live mail: the history that workers last worked on (server_identity), the server run they may claim from
  -- (server_run; none while it is empty, any while it is null) and the time of the last failover.
  server text,
  server_run text,
  failover_at timestamptz,
  constraint provider_state_mode_known check (mode in ('live', 'test')),
  constraint provider_state_hold_known check (hold_reason in ('quota', 'paused', 'suspended', 'operator')),
  constraint provider_state_hold_complete check ((hold_reason is null) = (held_since is null))
);

-- The sandbox has no rate of its own. This one keeps a flood of test mail from taking the database from live mail.
insert into provider_state (mode, max_per_second) values ('live', null), ('test', 1000);

-- A clock that stands still while any hold is on. The retry window of a send is measured with it.
create function retry_clock(mode text) returns timestamptz
language sql stable
begin atomic
  select now() - p.held_for - coalesce(now() - least(p.held_since, p.operator_held_since), '0')
  from provider_state p
  where p.mode = retry_clock.mode;
end;

-- What the sandbox will report about test mail, and when. They are rows and not timers, so they survive a restart.
create table sandbox_reports (
  id bigint generated always as identity primary key,
  report jsonb not null,
  happens_at timestamptz not null,
  due_at timestamptz not null
);

create index sandbox_reports_due_idx on sandbox_reports (due_at);
