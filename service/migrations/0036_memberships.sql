-- Expands. A person (users) belongs to accounts by memberships with a role (accounts/membership-store.ts). users.account_id stays as the
-- home account: log-in without a choice prefers it, and code of the version before reads nothing else. That code knows no roles, so the
-- column names an account only while the user is an owner there: of everybody else its joins find neither user nor login.
alter table users alter column account_id drop not null;

create table memberships (
  user_id uuid not null references users (id) on delete cascade,
  account_id uuid not null references accounts (id) on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, account_id),
  constraint memberships_role_known check (role in ('owner', 'developer', 'viewer'))
);

create index memberships_account_idx on memberships (account_id, user_id);

-- Code of the version before inserts users without a membership. At the commit such a user becomes an owner of the home account, which is
-- what every user was until now. Deferred, so that newer code can insert user and membership in any order.
create function add_home_membership() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  insert into memberships (user_id, account_id, role, created_at)
  select new.id, new.account_id, 'owner', new.created_at
  where new.account_id is not null
    and not exists (select from memberships where user_id = new.id)
    and exists (select from users where id = new.id);
  return null;
end;
$$;

create constraint trigger users_have_membership
  after insert on users
  deferrable initially deferred
  for each row execute function add_home_membership();

insert into memberships (user_id, account_id, role, created_at)
select id, account_id, 'owner', created_at
from users;

-- An account keeps at least one owner. The lock of the account's row makes two removals at once run one after the other; the count comes
-- in a later statement of the function, so its snapshot contains what the first removal committed. A deleted account needs no owner.
create function require_owner() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  perform from accounts where id = old.account_id for no key update;
  if found and not exists (select from memberships where account_id = old.account_id and role = 'owner') then
    raise exception 'the account % would have no owner', old.account_id
      using errcode = 'check_violation', constraint = 'memberships_owner_remains', table = 'memberships';
  end if;
  return null;
end;
$$;

create trigger memberships_owner_remains
  after delete or update on memberships
  for each row when (old.role = 'owner') execute function require_owner();

-- The callers lock the user before the membership (lock_member), in the order of a log-in.
create function leave_home_account() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  update users set account_id = null where id = old.user_id and account_id = old.account_id;
  return null;
end;
$$;

create trigger memberships_leave_home
  after delete on memberships
  for each row when (old.role = 'owner') execute function leave_home_account();
create trigger memberships_lose_home
  after update of role on memberships
  for each row when (old.role = 'owner' and new.role <> 'owner') execute function leave_home_account();

-- Locks a member of the account until the commit and returns the email; null when there is no such member. Security definer: the role of
-- an account may lock no users.
create function lock_member(account uuid, member uuid) returns text
  language sql volatile
  security definer
  set search_path = public, pg_temp
as $$
  select u.email
  from users u
  where u.id = member
    and exists (select from memberships m where m.user_id = member and m.account_id = account)
    and account = coalesce(acting_account(), account)
  for no key update
$$;

revoke all on function add_home_membership () from public;
revoke all on function leave_home_account () from public;
revoke all on function lock_member (uuid, uuid) from public;
grant execute on function lock_member (uuid, uuid) to pg_database_owner;
revoke all on function require_owner () from public;

create policy own_account on memberships
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table memberships enable row level security;
grant select, delete, update (role) on memberships to pg_database_owner;

-- A bound statement sees the members of its account. The hash of the password is not granted.
create policy own_account on users
  using (not (select is_bound_to_account()) or exists (select from memberships where user_id = users.id));
alter table users enable row level security;
grant select (id, email, created_at) on users to pg_database_owner;
