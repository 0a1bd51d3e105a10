-- Expands. Delays write notifications.
create function notify_of_delays() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
declare
  happened record;
  numbered record;
begin
  for happened in
    select id, send_id, account_id, mode, delayed_at, recipient, delay_type, expires_at, reply_status, reply
    from added
    where is_wanted(account_id, mode, 'send.delayed')
    order by send_id, delayed_at, id
  loop
    numbered := number_notification(happened.send_id);
    insert into notifications (id, public_id, account_id, mode, type, occurred_at, send_id, sequence, send_status, facts)
    values (new_id_at(now()), happened.id, happened.account_id, happened.mode, 'send.delayed', happened.delayed_at,
      happened.send_id, numbered.sequence, numbered.status, jsonb_build_object(
        'recipient', coalesce(given_recipient(happened.send_id, happened.recipient), happened.recipient),
        'type', happened.delay_type, 'status', happened.reply_status, 'diagnostic', happened.reply,
        'expires_at', happened.expires_at
      ));
  end loop;
  return null;
end
$$;

create trigger delivery_delays_notified
  after insert on delivery_delays
  referencing new table as added
  for each statement
  execute function notify_of_delays();
