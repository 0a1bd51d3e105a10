-- Expands. Usage of each account: per mode, sending domain and hour, and per API key and hour (docs/usage.md).
-- First, because it is the only lock on a table that others use.
-- The domain of the sender, where it differs from the one in from_address, which the caller may write in Unicode.
alter table sends add column from_domain text;

-- The domain of a sender as it is written; from_address ends with it, or with it and a bracket.
create function written_domain(from_address text) returns text
  language sql immutable strict parallel safe
  return rtrim(lower(split_part(from_address, '@', -1)), '>');

-- Hours since 1970.
create function hour_number(moment timestamptz) returns integer
  language sql immutable strict parallel safe
  return floor(extract(epoch from moment) / 3600)::integer;

create function hour_at(hour integer) returns timestamptz
  language sql immutable strict parallel safe
  return timestamptz 'epoch' + hour * interval '1 hour';

-- Element by element; a missing element is 0.
create function add_counts(a bigint[], b bigint[]) returns bigint[]
  language sql immutable parallel safe
  return array(
    select coalesce(one.a, 0) + coalesce(one.b, 0)
    from unnest(a, b) with ordinality as one (a, b, position)
    order by one.position
  );

-- A change of a counter, in the commit of what it counts. A fold adds it to the tables below and deletes it in one statement, so no
-- statement waits for a counter. It has no index: accept and feedback write a row for nearly every send, and the fold keeps it
-- short. The order of the columns avoids padding.
create table usage_deltas (
  account_id uuid not null,
  hour integer not null,
  -- Recipients. Negative when later evidence corrects `failed`.
  amount integer not null,
  -- usage/usage-kinds.ts
  kind smallint not null,
  is_test boolean not null,
  domain text not null,
  -- When the guard counts these recipients: the earliest acceptance of their sends, in seconds since 1970.
  guard_since integer,
  -- Of accepted sends only.
  sends integer,
  api_key_id uuid,
  content_bytes bigint
) with (
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);

create table usage_hours (
  account_id uuid not null,
  mode text not null,
  hour timestamptz not null,
  domain text not null,
  accepted_sends bigint not null default 0,
  accepted_recipients bigint not null default 0,
  content_bytes bigint not null default 0,
  delivered bigint not null default 0,
  bounced_hard bigint not null default 0,
  bounced_soft bigint not null default 0,
  complained bigint not null default 0,
  suppressed bigint not null default 0,
  failed bigint not null default 0,
  delayed bigint not null default 0,
  -- Deliveries by the time from submission to delivery; the bounds are in usage/usage-kinds.ts.
  delivery_times bigint[],
  constraint usage_hours_once primary key (account_id, mode, hour, domain),
  constraint usage_hours_mode_known check (mode in ('live', 'test'))
) with (fillfactor = 70);

-- Old hours are deleted by it.
create index usage_hours_hour_idx on usage_hours using brin (hour);

-- A key belongs to one mode.
create table usage_key_hours (
  account_id uuid not null,
  api_key_id uuid not null,
  hour timestamptz not null,
  sends bigint not null default 0,
  recipients bigint not null default 0,
  constraint usage_key_hours_once primary key (account_id, api_key_id, hour)
) with (fillfactor = 70);

create index usage_key_hours_hour_idx on usage_key_hours using brin (hour);

-- Refused requests to send. API processes count them in memory and write them every few seconds.
create table usage_refusals (
  account_id uuid not null,
  api_key_id uuid not null,
  hour timestamptz not null,
  code text not null,
  count bigint not null,
  constraint usage_refusals_once primary key (account_id, api_key_id, hour, code)
) with (fillfactor = 70);

create index usage_refusals_hour_idx on usage_refusals using brin (hour);

-- All that was folded, of all accounts, for metrics. It only grows: `failed` counts each move to failed and no correction.
create table usage_totals (
  mode text primary key,
  accepted_sends bigint not null default 0,
  accepted_recipients bigint not null default 0,
  delivered bigint not null default 0,
  bounced_hard bigint not null default 0,
  bounced_soft bigint not null default 0,
  complained bigint not null default 0,
  suppressed bigint not null default 0,
  failed bigint not null default 0,
  delayed bigint not null default 0,
  delivery_times bigint[],
  constraint usage_totals_mode_known check (mode in ('live', 'test'))
) with (fillfactor = 50);

create policy own_account on usage_deltas
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on usage_hours
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on usage_key_hours
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on usage_refusals
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));

alter table usage_deltas enable row level security;
alter table usage_hours enable row level security;
alter table usage_key_hours enable row level security;
alter table usage_refusals enable row level security;

grant select on usage_deltas, usage_hours, usage_key_hours, usage_refusals to pg_database_owner;
