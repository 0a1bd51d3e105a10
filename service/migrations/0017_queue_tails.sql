-- Expands. The newest queued send of each account that is more than a minute ahead of the queue head: while it is queued, the
-- account keeps its place behind the others (accept/rate-limit.ts). Unlogged like rate_windows, which it belongs to.
create unlogged table queue_tails (
  account_id uuid not null,
  mode text not null,
  send_id uuid not null,
  constraint queue_tails_once primary key (account_id, mode)
) with (fillfactor = 50);

create policy own_account on queue_tails
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table queue_tails enable row level security;
