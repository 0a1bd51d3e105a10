-- The second guard between accounts. Routes that read and manage the data of an account run their statements as the role
-- pg_database_owner, with the account in the setting postern.account_id. A statement that forgets its account then finds no rows of
-- others. Everything else runs as the owner of the tables, to whom row-level security does not apply.
--
-- Every database has this role, its owner may take it without a grant, and it has no rights on these tables except those below.
-- So no administrator has to create a role, and a dump can be restored into any server (docs/adr/0007).
create function acting_account() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('postern.account_id', true), '')::uuid;

-- Other roles with rights on the tables, such as that of a worker or a report, see all rows.
create function is_bound_to_account() returns boolean
  language sql stable parallel safe
  return current_user = 'pg_database_owner';

-- PostgreSQL evaluates each (select …) once for a statement and not for each row. Rights are on the parent tables only, so a
-- partition cannot be read around the policy of its table.
create policy own_account on accounts
  using (not (select is_bound_to_account()) or id = (select acting_account()));
create policy own_account on api_keys
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on domains
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on sends
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on send_queue
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
-- Of the sends that the role can see, which are those of the account.
create policy own_account on send_attempts
  using (not (select is_bound_to_account()) or exists (select from sends where sends.id = send_id));
create policy own_account on events
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on suppressions
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on list_counts
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on list_changes
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on rate_windows
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
create policy own_account on idempotency_keys
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));

alter table accounts enable row level security;
alter table api_keys enable row level security;
alter table domains enable row level security;
alter table sends enable row level security;
alter table send_queue enable row level security;
alter table send_attempts enable row level security;
alter table events enable row level security;
alter table suppressions enable row level security;
alter table list_counts enable row level security;
alter table list_changes enable row level security;
alter table rate_windows enable row level security;
alter table idempotency_keys enable row level security;

-- What the routes need. Of keys and accounts they get single columns.
grant select (id, name, limit_per_second, limit_per_10_seconds, limit_per_minute) on accounts to pg_database_owner;
grant select (id, account_id, name, type, key_prefix, expires_at, created_at, revoked_at),
  insert (id, account_id, name, type, key_prefix, pepper_id, secret_hmac, expires_at),
  update (revoked_at)
  on api_keys to pg_database_owner;
grant select, insert, update, delete on domains to pg_database_owner;
grant select, delete on suppressions to pg_database_owner;
-- The triggers of suppressions write it.
grant select, insert on list_changes to pg_database_owner;
grant select on sends, send_queue, send_attempts, events, list_counts, rate_windows, idempotency_keys to pg_database_owner;

-- Three things reach beyond the account. Each is a function that does nothing else.
create function is_verified_elsewhere(name text, account uuid) returns boolean
  language sql stable
  security definer
  set search_path = public, pg_temp
  return exists (
    select from domains where domain_name = name and account_id <> account and verification_status = 'Success'
  );

create function note_identity_removal(name text) returns void
  language sql
  security definer
  set search_path = public, pg_temp
begin atomic
  insert into identity_removals (domain_name)
  values (name)
  on conflict (domain_name) do update set note = excluded.note;
end;

create function note_suppression_removal(address text) returns void
  language sql
  security definer
  set search_path = public, pg_temp
begin atomic
  insert into suppression_removals (email)
  values (address)
  on conflict (email) do update
  set note = excluded.note, requested_at = excluded.requested_at, tries = 0, next_try_at = excluded.next_try_at;
end;

revoke all on function is_verified_elsewhere (text, uuid) from public;
revoke all on function note_identity_removal (text) from public;
revoke all on function note_suppression_removal (text) from public;
grant execute on function is_verified_elsewhere (text, uuid) to pg_database_owner;
grant execute on function note_identity_removal (text) to pg_database_owner;
grant execute on function note_suppression_removal (text) to pg_database_owner;
