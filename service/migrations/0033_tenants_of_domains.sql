-- Expands. The domains in SES tenants (domains/attach-tenants.ts).
alter table domains
  -- Set before the first call: from then on SES may have the association.
  add column tenant_started_at timestamptz,
  add column tenant_try_at timestamptz,
  -- The tenant of the account has the identity, too.
  add column tenant_ready_at timestamptz;

create index domains_without_tenant_idx on domains (tenant_try_at nulls first, id)
  where tenant_ready_at is null and verification_status = 'Success';

-- Associations to remove at SES. The commit that deletes the domain writes the row.
create table tenant_removals (
  account_id uuid not null,
  domain_name text not null,
  -- New with every request, so that finishing an earlier removal does not delete a later request.
  note uuid not null default gen_random_uuid(),
  requested_at timestamptz not null default now(),
  constraint tenant_removals_once primary key (account_id, domain_name)
);

create policy own_account on tenant_removals
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table tenant_removals enable row level security;

create function note_tenant_removal() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  insert into tenant_removals (account_id, domain_name)
  values (old.account_id, old.domain_name)
  on conflict on constraint tenant_removals_once do update
  set note = excluded.note, requested_at = excluded.requested_at;
  return null;
end
$$;

create trigger domains_tenant_removal after delete on domains
  for each row when (old.tenant_started_at is not null)
  execute function note_tenant_removal();

-- Notices about domains whose records are missing (notices/find-causes.ts).
create index domains_failing_idx on domains (failing_since) where failing_since is not null;
