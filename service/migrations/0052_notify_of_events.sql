-- Expands. Events write notifications.
create function notify_of_events() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
declare
  happened record;
  numbered record;
begin
  -- Reads no block while the table is empty: the url is in no index.
  perform url from webhook_endpoints limit 1;
  if not found or not exists (
    select
    from (select distinct account_id, mode from added) as given
    join webhook_endpoints e on e.account_id = given.account_id and e.mode = given.mode and e.disabled_at is null
  ) then
    return null;
  end if;
  -- In the order of sends, as all statements lock them, and within a send in the order of time.
  for happened in
    select id, send_id, account_id, mode, event_at,
      case event_type when 'Delivery' then 'send.delivered' when 'Bounce' then 'send.bounced'
        when 'Complaint' then 'send.complained' else 'send.suppressed' end as type
    from added
    order by send_id, event_at, id
  loop
    if is_wanted(happened.account_id, happened.mode, happened.type) then
      numbered := number_notification(happened.send_id);
      insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, sequence, send_status)
      values (new_id_at(now()), happened.id, happened.account_id, happened.mode, happened.type, happened.event_at,
        happened.send_id, numbered.sequence, numbered.status);
    end if;
  end loop;
  return null;
end
$$;

create trigger events_notified
  after insert on events
  referencing new table as added
  for each statement
  execute function notify_of_events();
