-- Expands. What SES says about the reputation of the AWS account (queue/read-quota.ts, queue/read-reputation.ts). Null: not read yet, by
-- a worker of an older version, or not offered to this AWS account.
alter table provider_state
  -- HEALTHY, PROBATION or SHUTDOWN today; SES may add values.
  add column enforcement_status text,
  add column enforcement_read_at timestamptz,
  -- The open findings, at most 20, those with a high impact first; and how many there are.
  add column findings jsonb,
  add column finding_count integer,
  add column findings_read_at timestamptz;

-- The size of the database, one row an hour for 30 days (storage/database-size.ts).
create table database_sizes (
  hour timestamptz not null,
  measured_at timestamptz not null,
  bytes bigint not null,
  constraint database_sizes_once primary key (hour)
);
