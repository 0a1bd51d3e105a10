-- Expands. A verified or failed domain writes a notification.
create function notify_of_domain() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  perform notify_account(new.account_id, null, case new.verification_status when 'Success' then 'domain.verified' else 'domain.failed' end,
    jsonb_build_object('id', new.id, 'name', new.domain_name));
  return null;
end
$$;

-- A domain fails when its records stay away, and also when a verified domain loses them.
create trigger domains_notified
  after update of verification_status on domains
  for each row
  when (
    old.verification_status is distinct from new.verification_status
    and (new.verification_status in ('Success', 'Failed') or old.verification_status = 'Success')
  )
  execute function notify_of_domain();
