-- Expands. A login is for one account, and exists only as long as the membership: the foreign key deletes the logins of a removed member in
-- the commit that removes them, and refuses a log-in that runs at the same time. A file of its own: 0036 locks users, and code of the
-- version before locks logins and users in both orders.
alter table logins add column account_id uuid;

-- Code of the version before names no account: its logins are for the home account.
create function fill_account_of_login() returns trigger
  language plpgsql
as $$
begin
  new.account_id := coalesce(new.account_id, (select account_id from users where id = new.user_id));
  return new;
end;
$$;

create trigger logins_have_account
  before insert on logins
  for each row execute function fill_account_of_login();

update logins
set account_id = users.account_id
from users
where users.id = logins.user_id;

alter table logins
  alter column account_id set not null,
  add constraint logins_membership_exists
    foreign key (user_id, account_id) references memberships (user_id, account_id) on delete cascade;

-- No statement that is bound to an account may touch logins; the policy is for the day when a right is granted.
create policy own_account on logins
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table logins enable row level security;
