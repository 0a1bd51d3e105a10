-- Expands. An operator sees and manages all accounts (api/v1/operator/). Only the command line gives and takes the flag: a statement that is
-- bound to an account may neither read nor write it.
--
-- operator_since is when the command line gave it. The right holds only for the TOTP enrolment of that moment: after a new one, which
-- somebody with the password and a recovery code can make, the command line has to give it again.
alter table users
  add column is_operator boolean not null default false,
  add column operator_since timestamptz,
  add constraint users_operator_since check (is_operator = (operator_since is not null));

create index users_operator_idx on users (email) where is_operator;

-- When the person of this session logged in with a code of the authenticator app; null after a log-in without one. A refresh does not change
-- it, and a switch of the account copies it.
alter table logins add column totp_login_at timestamptz;

-- Also says whether the member is an operator, whom no owner may demote or remove. The answer holds until the commit: who gives the flag
-- changes the locked row. Replaces the function of 0036, which no release contains.
drop function lock_member (uuid, uuid);
create function lock_member(account uuid, member uuid) returns table (email text, is_operator boolean)
  language sql volatile
  security definer
  set search_path = public, pg_temp
as $$
  select u.email, u.is_operator
  from users u
  where u.id = member
    and exists (select from memberships m where m.user_id = member and m.account_id = account)
    and account = coalesce(acting_account(), account)
  for no key update
$$;

revoke all on function lock_member (uuid, uuid) from public;
grant execute on function lock_member (uuid, uuid) to pg_database_owner;

-- Recipients of the last 24 hours, as SES counts them, and how many it allows. Null: not read yet; a null maximum beside a count: unlimited.
alter table provider_state
  add column max_per_day double precision,
  add column used_per_day double precision;
