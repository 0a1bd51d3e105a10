-- Expands. People see their sessions: on which device, from which address, and when the client last refreshed it. Code of the
-- release before leaves device and address empty and last_used_at at the time of the log-in.
alter table logins
  add column device text,
  add column address text,
  add column last_used_at timestamptz not null default now();
