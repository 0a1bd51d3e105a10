-- Expands. A proxy in front of several cells knows the keys of moved accounts by their first characters (deploy/cells/moved.map), also those
-- of earlier secrets that still work. Null for secrets that older code made, except the newest of a key: its prefix is in api_keys.
alter table api_key_secrets add column key_prefix text;

grant select (key_prefix), insert (key_prefix), update (key_prefix) on api_key_secrets to pg_database_owner;

-- The proxy routes a prefix to one cell, so no new key may have that of an account that moves or has moved. Security definer: the role of an
-- account sees neither moves nor the keys of other accounts.
create function is_prefix_of_moved_key(prefix text) returns boolean
  language sql
  stable
  security definer
  set search_path = public, pg_temp
as $$
  select exists (
    select
    from outgoing_moves m
    join api_keys k on k.account_id = m.account_id
    left join api_key_secrets s on s.key_id = k.id
    where prefix in (k.key_prefix, s.key_prefix)
  )
$$;

grant execute on function is_prefix_of_moved_key (text) to pg_database_owner;
