-- Expands. Networks to which the operator lets the webhooks of an account go, beside public addresses (webhooks/network-store.ts).
create table webhook_networks (
  account_id uuid not null references accounts (id),
  network cidr not null,
  created_at timestamptz not null default now(),
  primary key (account_id, network)
);

create policy own_account on webhook_networks
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table webhook_networks enable row level security;
-- The API checks the URL of an endpoint against them. Only the operator adds networks, so an account cannot change any.
grant select on webhook_networks to pg_database_owner;
