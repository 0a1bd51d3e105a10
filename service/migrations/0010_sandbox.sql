-- What the sandbox will report of test mail, when it is due. Rows and not timers, so that it survives a restart.
create table sandbox_reports (
  id bigint generated always as identity primary key,
  report jsonb not null,
  happens_at timestamptz not null,
  due_at timestamptz not null
);

create index sandbox_reports_due_idx on sandbox_reports (due_at);

-- The sandbox has no rate of its own; this one keeps a flood of tests from taking the database from live mail.
update provider_state set max_per_second = 1000 where mode = 'test';
