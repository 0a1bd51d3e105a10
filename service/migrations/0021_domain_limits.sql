-- Expands: limits for the domains and API keys of an account, and a share of the control calls for checks and chores.

-- domain_changes_at: when all registrations and removals so far are paid for, at domain_changes_per_minute. An account may be
-- two minutes ahead (domains/limit-domain-changes.ts).
alter table accounts
  add column domain_limit integer not null default 100,
  add column domain_changes_per_minute integer not null default 10,
  add column domain_changes_at timestamptz not null default 'epoch',
  add constraint accounts_domain_limits_valid check (domain_limit >= 0 and domain_changes_per_minute > 0);

grant select (domain_limit, domain_changes_per_minute, domain_changes_at), update (domain_changes_at)
  on accounts to pg_database_owner;

-- Registrations and removals take every second control call at most (provider/control-call-tokens.ts).
alter table control_budget
  add column changes_at timestamptz not null default now();

-- Set while a request works on a draft, and for 30 seconds at most, so that a crashed request does not count for long.
alter table domains
  add column registering_until timestamptz;

-- Locks the account and then counts its domains other than this one, so that two registrations at once cannot both take the
-- last place. Each statement of a volatile function has its own snapshot; in one plain statement the count would be as old
-- as the statement and miss a registration that committed while it waited for the lock. A draft that no request works on
-- does not count: the account can neither see nor remove it.
create function room_for_domain(account uuid, name text, out maximum integer, out others integer, out in_progress integer)
  language plpgsql volatile
as $$
begin
  select a.domain_limit into maximum from accounts a where a.id = account for no key update;
  select count(*), count(*) filter (where d.registered_at is null)
  into others, in_progress
  from domains d
  where d.account_id = account and d.domain_name <> name and (d.registered_at is not null or d.registering_until > now());
end;
$$;

-- How many API keys of the account may be usable at a time.
alter table accounts
  add column api_key_limit integer not null default 100,
  add constraint accounts_api_key_limit_valid check (api_key_limit >= 0);

grant select (api_key_limit) on accounts to pg_database_owner;

-- Locks the account before it counts, for the reason given at room_for_domain. A usable key is neither revoked nor expired.
create function room_for_api_key(account uuid, out maximum integer, out usable integer)
  language plpgsql volatile
as $$
begin
  select a.api_key_limit into maximum from accounts a where a.id = account for no key update;
  select count(*) into usable
  from api_keys k
  where k.account_id = account and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
end;
$$;
