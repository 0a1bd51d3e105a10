-- Sends on their way and nothing else: a claim leases a row, and it is deleted when the send is final. The row is narrow and holds what a claim
-- needs for its decision. `attempt` only grows; settling names the attempt it belongs to.
create table send_queue (
  id uuid primary key,
  account_id uuid not null,
  mode text not null,
  -- ready: can be claimed, in the order of fair_at. leased: a worker submits it until due_at. waiting: ready again at due_at.
  -- in-doubt: it may have been submitted; due_at is when that attempt ended at the latest.
  -- parked: its account is held or suspended, since due_at.
  state text not null default 'ready',
  -- The position in the queue.
  fair_at timestamptz not null,
  due_at timestamptz,
  attempt integer not null default 0,
  -- When this attempt was claimed.
  attempted_at timestamptz,
  backoff_step smallint not null default 0,
  -- The first try-later, on the retry clock.
  retrying_since timestamptz,
  from_domain text not null,
  -- In lower case, without those that are suppressed.
  recipients text[] not null,
  constraint send_queue_mode_known check (mode in ('live', 'test')),
  constraint send_queue_state_known check (state in ('ready', 'leased', 'waiting', 'in-doubt', 'parked')),
  constraint send_queue_due_known check (state = 'ready' or due_at is not null)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);

create index send_queue_ready_idx on send_queue (mode, fair_at, id) where state = 'ready';
create index send_queue_due_idx on send_queue (mode, state, due_at) where state <> 'ready';
create index send_queue_parked_idx on send_queue (mode, account_id) where state = 'parked';

-- When a worker may submit to the next recipient, in microseconds since 1970. Every claim changes it. A row would leave an old
-- version each time, and while any transaction holds a snapshot every claim would read all of them; a sequence has no
-- versions. It is unlogged: after a crash of the server the next recipient may go immediately.
create unlogged sequence pace_live minvalue 0 start 0;
create unlogged sequence pace_test minvalue 0 start 0;

-- Until the end of the transaction no other session reads or sets the pace.
create function lock_pace(mode text) returns timestamptz
language plpgsql volatile
as $$
declare
  microseconds bigint;
begin
  if mode = 'live' then
    perform pg_advisory_xact_lock('pace_live'::regclass::oid::integer, 0);
    select last_value into microseconds from pace_live;
  else
    perform pg_advisory_xact_lock('pace_test'::regclass::oid::integer, 0);
    select last_value into microseconds from pace_test;
  end if;
  return timestamptz 'epoch' + microseconds * interval '1 microsecond';
end;
$$;

-- The caller holds the lock.
create function set_pace(mode text, next_at timestamptz) returns timestamptz
language plpgsql volatile
as $$
begin
  perform setval(
    case mode when 'live' then 'pace_live'::regclass else 'pace_test'::regclass end,
    (extract(epoch from next_at) * 1000000)::bigint
  );
  return next_at;
end;
$$;
