-- Expands. A cancellation by the account asks whether a failover is open: until the sweep has marked the sends, a worker may have submitted
-- what this server calls ready (queue/fail-queued.ts). Security definer: the role of an account may not read provider_state.
create function is_known_server(mail_mode text) returns boolean
  language sql stable
  security definer
  set search_path = public, pg_temp
as $$
  select server_run is null or server_run = server_run()
  from provider_state
  where mode = mail_mode
$$;

grant execute on function is_known_server (text) to pg_database_owner;
