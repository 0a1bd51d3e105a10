-- Expands. One-use addresses under which a browser shows the content of a send (content-views/content-view-store.ts). A row is one address that
-- nobody has opened yet; opening it deletes the row. The table is unlogged: after a crash of the server a person asks for a new address.
-- Without a foreign key to logins: a log-out would wait for the rows of a request that waits for the login. Opening an address checks the
-- login instead, and a chore deletes what has expired.
create unlogged table content_views (
  token_hash bytea primary key,
  account_id uuid not null,
  login_id uuid not null,
  send_id uuid not null,
  shows_images boolean not null,
  expires_at timestamptz not null
);

create index content_views_login_idx on content_views (login_id, expires_at);
create index content_views_expiry_idx on content_views (expires_at);

create policy own_account on content_views
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table content_views enable row level security;
-- To lock a row the role needs the right to change one of its columns.
grant select, insert, delete, update (shows_images) on content_views to pg_database_owner;

-- The sealed content of a send of the account; null when Postern does not have it, or the send belongs to another account. Security
-- definer: the role of an account may not read contents, and this function is its only way to one.
create function content_of_send(account uuid, send uuid) returns bytea
  language sql stable
  security definer
  set search_path = public, pg_temp
as $$
  select coalesce(
    (select c.sealed from send_contents c where c.id = s.id),
    (select k.sealed from kept_contents k where k.id = s.id)
  )
  from sends s
  where s.account_id = account
    and s.id = send
    and account = coalesce(acting_account(), account)
$$;

revoke all on function content_of_send (uuid, uuid) from public;
grant execute on function content_of_send (uuid, uuid) to pg_database_owner;
