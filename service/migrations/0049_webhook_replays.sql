-- Expands. Replays of a time range to one endpoint (webhooks/advance-replay.ts).

-- One row for each request. A worker reads the range in steps, first the events in it, then the other notifications in it; the commit that
-- adds deliveries also moves the position, so a crash neither loses nor repeats a step.
create table webhook_replays (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- No foreign key: the deletion of an endpoint would wait for a step, and the step for the deletion.
  endpoint_id uuid not null,
  -- The types of the endpoint at the request, so that both parts of the range agree.
  types text[] not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  state text not null default 'running',
  part text not null default 'events',
  -- The last id that was read in this part.
  position uuid not null,
  deliveries integer not null default 0,
  -- When the next step may run.
  due_at timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint webhook_replays_range_some check (from_at < to_at),
  constraint webhook_replays_state_known check (state in ('running', 'done', 'cancelled')),
  constraint webhook_replays_part_known check (part in ('events', 'notifications')),
  constraint webhook_replays_finished check ((state = 'running') = (finished_at is null))
);

create unique index webhook_replays_running_once on webhook_replays (endpoint_id) where state = 'running';
create index webhook_replays_due_idx on webhook_replays (due_at) where state = 'running';
create index webhook_replays_finished_idx on webhook_replays (finished_at) where finished_at is not null;
create index webhook_replays_endpoint_idx on webhook_replays (endpoint_id, id);

create policy own_account on webhook_replays
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table webhook_replays enable row level security;
grant select, insert, update on webhook_replays to pg_database_owner;

-- A rebuilt notification is made for a replay from an event whose notification is not stored; a test is an example. Neither is something
-- that happened when its row was written, so a replay of that time leaves both out.
alter table notifications add column is_rebuilt boolean not null default false;
alter table notifications add column is_test boolean not null default false;
-- Finds the stored notification of an event.
create index notifications_public_idx on notifications (public_id);

-- 0: what happens now, and the replay of one delivery. 1: the replay of a range, which is attempted while nothing else of the endpoint is
-- due. The table is as new as this column, so its index is replaced at once.
alter table webhook_queue add column priority smallint not null default 0;
drop index webhook_queue_due_idx;
create index webhook_queue_due_idx on webhook_queue (endpoint_id, priority, due_at, delivery_id) where state = 'pending';
