-- Expands. What customers are notified of, and the endpoints they are notified at (webhooks/). The migrations 0050 to 0055 add to each table of the
-- send path what it needs, one table each: a migration that locks two of them could deadlock with a request.

-- An endpoint without disabled_at is enabled.
create table webhook_endpoints (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  mode text not null,
  url text not null,
  description text,
  types text[] not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  disabled_reason text,
  -- The first failed attempt after the last success, and how many deliveries failed for good since.
  failing_since timestamptz,
  failed_deliveries integer not null default 0,
  constraint webhook_endpoints_mode_known check (mode in ('live', 'test')),
  constraint webhook_endpoints_types_some check (cardinality(types) > 0),
  constraint webhook_endpoints_disabled_says_why check ((disabled_at is null) = (disabled_reason is null)),
  constraint webhook_endpoints_reason_known check (disabled_reason in ('user', 'gone', 'failing'))
);

create index webhook_endpoints_account_idx on webhook_endpoints (account_id, id);
-- What every statement that moves sends asks: does anybody want to hear of it?
create index webhook_endpoints_enabled_idx on webhook_endpoints (account_id, mode) where disabled_at is null;

-- Sealed under CONTENT_KEY. The secret without expires_at is the newest.
create table webhook_secrets (
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoints (id) on delete cascade,
  account_id uuid not null,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);

create index webhook_secrets_endpoint_idx on webhook_secrets (endpoint_id);

-- One thing that happened, for every endpoint that wants it. The commit that changes the state writes the row; a worker then writes the
-- envelope, once, and its deliveries (webhooks/fan-out.ts). No foreign keys, like sends.
create table notifications (
  -- Of the time of writing, because partitions are ranges of it.
  id uuid not null,
  -- What receivers see as webhook-id: the id of the event where there is one, so that a notification rebuilt from it has the same.
  public_id uuid not null,
  account_id uuid not null,
  mode text not null,
  type text not null,
  occurred_at timestamptz not null,
  send_id uuid,
  -- Which notification of the send this is, and the status of the send then, both read under the lock of its row.
  sequence integer,
  send_status text,
  -- What no permanent row says: a failure, a hold, an address.
  facts jsonb,
  envelope text,
  constraint notifications_id_once primary key (id),
  constraint notifications_mode_known check (mode in ('live', 'test')),
  constraint notifications_small check (octet_length(envelope) <= 16384)
) partition by range (id);

create index notifications_new_idx on notifications (id) where envelope is null;
create index notifications_account_idx on notifications (account_id, mode, id);

-- The notification for one endpoint. The state is 'pending' until a final one; what happens meanwhile is in webhook_queue.
create table webhook_deliveries (
  id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  notification_id uuid not null,
  public_id uuid not null,
  type text not null,
  state text not null default 'pending',
  is_replay boolean not null default false,
  is_test boolean not null default false,
  finished_at timestamptz,
  -- Of the attempt that was answered with 2xx.
  duration_ms integer,
  constraint webhook_deliveries_id_once primary key (id),
  constraint webhook_deliveries_state_known check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  constraint webhook_deliveries_finished check ((state = 'pending') = (finished_at is null))
) partition by range (id);

create index webhook_deliveries_endpoint_idx on webhook_deliveries (endpoint_id, id);

-- Deliveries that are not final. A delivery is leased while a worker makes its attempt; due_at is the next attempt or the end of the lease.
create table webhook_queue (
  delivery_id uuid primary key,
  account_id uuid not null,
  endpoint_id uuid not null,
  notification_id uuid not null,
  state text not null default 'pending',
  attempt integer not null default 0,
  due_at timestamptz not null default now(),
  attempted_at timestamptz,
  constraint webhook_queue_state_known check (state in ('pending', 'delivering', 'paused'))
) with (fillfactor = 70);

create index webhook_queue_due_idx on webhook_queue (endpoint_id, due_at, delivery_id) where state = 'pending';
create index webhook_queue_leased_idx on webhook_queue (endpoint_id, due_at) where state = 'delivering';
create index webhook_queue_paused_idx on webhook_queue (endpoint_id) where state = 'paused';

-- Every attempt. A lease that ran out leaves one with the failure 'unknown'.
create table webhook_attempts (
  -- Of the time of the attempt.
  id uuid not null,
  delivery_id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  attempt integer not null,
  duration_ms integer,
  status smallint,
  -- Up to 16 KiB. Null for an address that the operator allowed in addition.
  answer text,
  failure text,
  constraint webhook_attempts_id_once primary key (id)
) partition by range (id);

create index webhook_attempts_delivery_idx on webhook_attempts (delivery_id);

create table notifications_default partition of notifications default;
create table webhook_deliveries_default partition of webhook_deliveries default;
create table webhook_attempts_default partition of webhook_attempts default;

-- Locks the account before it counts, for the reason given at room_for_domain.
create function room_for_webhook(account uuid, out taken integer)
  language plpgsql volatile
as $$
begin
  perform from accounts a where a.id = account for no key update;
  select count(*) into taken from webhook_endpoints e where e.account_id = account;
end
$$;

-- Cancels the first deliveries of an endpoint that is about to be deleted; a chore cancels the rest of a long backlog.
-- Locks it first: statements that add deliveries hold a lock on it, so
-- the next statement here sees what they added. The row in the queue is the fence against a worker that settles the same delivery.
create function cancel_deliveries(account uuid, endpoint uuid) returns void
  language plpgsql volatile
as $$
begin
  perform from webhook_endpoints e where e.account_id = account and e.id = endpoint for update;
  with waiting as materialized (
    select q.delivery_id
    from webhook_queue q
    where q.account_id = account
      and q.delivery_id = any (array(
        -- One index for each state.
        (select delivery_id from webhook_queue where account_id = account and endpoint_id = endpoint and state = 'pending' limit 1000)
        union all
        select delivery_id from webhook_queue where account_id = account and endpoint_id = endpoint and state = 'delivering'
        union all
        (select delivery_id from webhook_queue where account_id = account and endpoint_id = endpoint and state = 'paused' limit 1000)
      ))
    order by q.delivery_id
    for update
  ), unqueued as (
    delete from webhook_queue q
    using waiting
    where q.account_id = account
      and q.delivery_id = waiting.delivery_id
    returning q.delivery_id
  )
  update webhook_deliveries d
  set state = 'cancelled', finished_at = now()
  from unqueued
  where d.account_id = account
    and d.id between unqueued.delivery_id and unqueued.delivery_id;
end
$$;

-- Whether an enabled endpoint wants this type.
create function is_wanted(account uuid, for_mode text, wanted_type text) returns boolean
  language sql stable
  return exists (
    select
    from webhook_endpoints e
    where e.account_id = account
      and e.mode = for_mode
      and e.disabled_at is null
      and wanted_type = any (e.types)
  );

-- A recipient as the caller wrote it in the send; null when it is not one of the send.
create function given_recipient(send uuid, recipient text) returns text
  language sql stable
  return (
    select s.to_addresses[array_position(coalesce(s.recipient_keys, lower(s.to_addresses::text)::text[]), recipient)]
    from sends s
    where s.id = send
  );

-- Of things that are no sends. `for_mode` null: of both modes.
create function notify_account(account uuid, for_mode text, wanted_type text, what jsonb) returns void
  language sql
begin atomic
  insert into notifications (id, public_id, account_id, mode, type, occurred_at, facts)
  select given.id, given.id, account, given.mode, wanted_type, now(), what
  from (select mode, new_id_at(now()) as id from unnest(array['live', 'test']) as mode) as given
  where given.mode = coalesce(for_mode, given.mode)
    and is_wanted(account, given.mode, wanted_type);
end;

-- The second guard between accounts (0013). Workers run as the owner of the tables.
create policy own_account on webhook_endpoints
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on webhook_secrets
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on notifications
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on webhook_deliveries
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on webhook_queue
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on webhook_attempts
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table webhook_endpoints enable row level security;
alter table webhook_secrets enable row level security;
alter table notifications enable row level security;
alter table webhook_deliveries enable row level security;
alter table webhook_queue enable row level security;
alter table webhook_attempts enable row level security;
grant select, insert, update, delete on webhook_endpoints, webhook_secrets, webhook_queue to pg_database_owner;
grant select, insert, update on webhook_deliveries to pg_database_owner;
grant select, insert on notifications to pg_database_owner;
grant select on webhook_attempts to pg_database_owner;

create or replace view partition_ranges as
select
  parent.relname::text as parent,
  part.relname::text as name,
  time_of_id(bounds.both_ends[1]::uuid) as starts_at,
  time_of_id(bounds.both_ends[2]::uuid) as ends_at
from pg_inherits link
join pg_class parent on parent.oid = link.inhparent
join pg_class part on part.oid = link.inhrelid
cross join lateral (
  select regexp_match(pg_get_expr(part.relpartbound, part.oid), 'FROM \(''(.+)''\) TO \(''(.+)''\)') as both_ends
) bounds
where link.inhparent in ('sends'::regclass, 'send_contents'::regclass, 'events'::regclass, 'audit_entries'::regclass,
  'notifications'::regclass, 'webhook_deliveries'::regclass, 'webhook_attempts'::regclass);

-- As in 0042, with the three tables of webhooks.
create or replace function make_next_partition(of_table text, by_span text, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '2s'
as $$
declare
  utc timestamp := moment at time zone 'UTC';
  step interval := '1 ' || by_span;
  attached bigint;
  starts timestamp;
  ends timestamp;
  is_taken boolean;
  stray text;
  made text;
begin
  if of_table not in (
      'sends', 'send_contents', 'events', 'audit_entries', 'notifications', 'webhook_deliveries', 'webhook_attempts'
    ) or by_span not in ('month', 'week') then
    raise exception 'no partitions are made of % by %', of_table, by_span;
  end if;
  -- A second caller waits here and then sees the partition that the first one made.
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select count(*), max(r.ends_at) at time zone 'UTC'
  into attached, starts
  from partition_ranges r
  where r.parent = of_table;
  if starts >= utc + interval '3 months' then
    return null;
  end if;
  -- Every partition makes planning and locking slower.
  if attached >= 200 then
    raise exception '% has % partitions, and more would make its statements slow', of_table, attached
      using errcode = 'program_limit_exceeded', hint = 'Detach old partitions, or set PARTITION_SPAN=month.';
  end if;

  -- The first partition covers the span before the current one, for clocks that are slow.
  starts := coalesce(starts, date_trunc(by_span, utc) - step);
  ends := date_trunc(by_span, starts) + step;
  execute format('select exists (select from %I where id >= $1 and id < $2)', of_table || '_default')
  into is_taken
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  -- Rows that arrived without a partition stay in the default one, and so do the rows of the next minutes.
  if is_taken then
    starts := greatest(starts, date_trunc('minute', utc) + interval '5 minutes');
    ends := date_trunc(by_span, starts) + step;
  end if;

  -- A row with a future date, written by a wrong clock, stays there too: the new partition ends before it.
  execute format('select min(id::text) from %I where id >= $1 and id < $2', of_table || '_default')
  into stray
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  if stray is not null then
    ends := time_of_id(stray::uuid) at time zone 'UTC';
    -- No partition can cover that moment. The row in the default partition raises the alarm.
    if ends <= starts then
      return null;
    end if;
  end if;

  made := of_table || to_char(starts, case
    when by_span = 'month' and starts = date_trunc('month', starts) then '_YYYY_MM'
    when starts = date_trunc('day', starts) then '_YYYY_MM_DD'
    else '_YYYY_MM_DD_HH24MI'
  end);
  execute format('create table %I (like %I including all)', made, of_table);
  -- `like` does not copy settings. Bodies of a few KB stay in the row. A send is stored, then sent, then delivered: with half of
  -- each page kept free, both updates stay in the page and touch no index. Measured over 20,000 sends with fillfactor 100, 70
  -- and 50: updates within the page 7, 57, 87 %; WAL for a send 1,519, 1,271, 1,093 bytes; disk for a send 942, 835, 725 bytes.
  if of_table = 'send_contents' then
    execute format('alter table %I set (toast_tuple_target = 8160)', made);
  elsif of_table = 'sends' then
    execute format('alter table %I set (fillfactor = 50)', made);
  end if;
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    of_table, made, first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC')
  );
  return made;
end
$$;

-- Drops the oldest week of one of these tables that ended before the retention time, and returns its name, or null when there is none. Then
-- it also deletes the old rows of the default partition. A week with a delivery on its way is kept
-- for seven days more, and no longer: a delivery that is repeated for ever must not keep the data of all accounts.
create function drop_oldest_webhooks(of_table text, retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  ended_before timestamptz := moment - make_interval(hours => 24 * retention_days);
  expired text;
begin
  if of_table not in ('notifications', 'webhook_deliveries', 'webhook_attempts') then
    raise exception 'no weeks are dropped of %', of_table;
  end if;
  if retention_days < 7 then
    raise exception 'deliveries are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select r.name
  into expired
  from partition_ranges r
  where r.parent = of_table
    and r.ends_at <= ended_before
    and (
      r.ends_at <= ended_before - interval '7 days'
      or not exists (
        select
        from webhook_queue q
        where case of_table when 'notifications' then q.notification_id else q.delivery_id end >= first_id_at(r.starts_at)
          and case of_table when 'notifications' then q.notification_id else q.delivery_id end < first_id_at(r.ends_at)
      )
    )
  order by r.starts_at
  limit 1;
  if expired is null then
    execute format('delete from %I where id < $1', of_table || '_default') using first_id_at(ended_before - interval '7 days');
    return null;
  end if;
  execute format('alter table %I detach partition %I', of_table, expired);
  execute format('drop table %I', expired);
  return expired;
end
$$;

revoke all on function drop_oldest_webhooks (text, integer, timestamptz) from public;
