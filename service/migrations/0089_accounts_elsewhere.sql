-- Expands. What this cell leaves alone: the accounts that are on their way to another cell, or live there.

-- In moving_accounts: no webhook, no hold of the guard, no notice. Few rows, so statements read it once: `account_id not in (select account_id from moving_accounts)`.
create view moving_accounts as
select account_id
from outgoing_moves
where state <> 'copying'
union all
select account_id
from incoming_moves
where state = 'copying';

-- A statement that stores what was reported about sends runs it: an account may have been frozen since the sends were looked up. Also `unknown`:
-- if the account was released before a failover, the report belongs to the target.
create function require_accounts_here(account_ids uuid[]) returns boolean
  language plpgsql
  volatile
  set search_path = public, pg_temp
as $$
begin
  if exists (
    select
    from outgoing_moves m
    where m.state in ('frozen', 'released', 'unknown')
      and m.account_id = any (account_ids)
  ) then
    raise exception 'the account of a send has moved to another cell' using errcode = 'PS002';
  end if;
  return true;
end
$$;
