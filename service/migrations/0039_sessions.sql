-- Expands. People see their sessions: on which device, from which address, and when the client last refreshed it. Code of the
-- release before leaves device and address empty and last_used_at at the time of the log-in.
alter table logins
  add column device text,
  add column address text,
  add column last_used_at timestamptz not null default now(),
  -- The refresh token is in a cookie. An access token of such a login, without the cookie, starts no other login.
  add column is_browser boolean not null default false,
  -- The login whose access token started this one for another account. This one ends with it, so that nobody who has stolen an access
  -- token keeps a login that the owner cannot end.
  add column origin_id uuid references logins (id) on delete cascade;

-- When the sessions from before were last used is unknown; it was no earlier than the log-in.
update logins
set last_used_at = created_at;

create index logins_origin_idx on logins (origin_id) where origin_id is not null;
