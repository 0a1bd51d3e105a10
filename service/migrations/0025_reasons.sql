-- Expands. Keeps what the receiving server said about a recipient. Old events have nothing in these columns.
alter table events
  -- The enhanced status code, such as 5.1.1.
  add column reply_status text,
  -- The words of the receiving server: the answer to a delivery, or the diagnostic code of a bounce.
  add column reply text,
  add column reporting_mta text,
  -- From the submission to the delivery, as SES measured it.
  add column duration_ms integer;

-- The send whose bounce or complaint added the address.
alter table suppressions add column send_id uuid;

-- SES could not deliver a mail yet and tries again. The id is computed like that of an event, so a repeated report changes nothing.
-- It starts with the time of the delay: old ones are deleted by it.
create table delivery_delays (
  id uuid primary key,
  send_id uuid not null,
  account_id uuid not null,
  mode text not null,
  delayed_at timestamptz not null,
  recipient text not null,
  delay_type text not null,
  reply_status text,
  reply text,
  -- When SES gives up.
  expires_at timestamptz,
  constraint delivery_delays_mode_known check (mode in ('live', 'test'))
);

create index delivery_delays_send_idx on delivery_delays (send_id);

create policy own_account on delivery_delays
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table delivery_delays enable row level security;
grant select on delivery_delays to pg_database_owner;
