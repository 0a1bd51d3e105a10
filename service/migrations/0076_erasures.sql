-- Expands. Erasing an address from the record (data-rights/). The tables hold a keyed hash of the address and never the address.

-- One run of `postern admin erase-address`. Every batch moves the position in its own commit, so that a run that was interrupted continues.
create table erasures (
  id uuid primary key,
  address_hash text not null,
  -- Null: all accounts.
  account_id uuid,
  started_at timestamptz not null default now(),
  -- The step, and the key of the last row that it read.
  step text not null,
  position text[] not null,
  finished_at timestamptz
);

create unique index erasures_running_once on erasures (address_hash, coalesce(account_id, '00000000-0000-0000-0000-000000000000'))
  where finished_at is null;

-- Rows that a run erased. The account is zero for rows that belong to none.
create table erasure_counts (
  erasure_id uuid not null references erasures (id),
  table_name text not null,
  account_id uuid not null,
  rows bigint not null,
  constraint erasure_counts_once primary key (erasure_id, table_name, account_id)
);

-- No route of an account reads these tables. The policies are the second guard (0013).
create policy own_account on erasures
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on erasure_counts
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table erasures enable row level security;
alter table erasure_counts enable row level security;

-- As in 0042. Erasing an address replaces it in the texts of an entry; who did what and when stays. The command sets
-- postern.address_erasure for its own transaction.
create or replace function refuse_audit_change() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' and current_setting('postern.audit_retention', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE' and current_setting('postern.address_erasure', true) = 'on'
    and (new.id, new.account_id, new.at, new.actor_kind, new.action, new.target_kind)
      = (old.id, old.account_id, old.at, old.actor_kind, old.action, old.target_kind)
    and new.actor_id is not distinct from old.actor_id then
    return new;
  end if;
  raise exception 'audit entries are never changed or deleted' using errcode = 'restrict_violation';
end;
$$;
