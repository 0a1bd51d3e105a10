-- Expands. Changes of the suppression list write notifications.
create function notify_of_suppressions() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  perform notify_account(changed.account_id, changed.mode, case tg_op when 'INSERT' then 'suppression.added' else 'suppression.removed' end,
    jsonb_build_object('email', changed.email, 'reason', changed.reason, 'since', changed.suppressed_at, 'send_id', changed.send_id))
  from changed
  order by changed.account_id, changed.mode, changed.email;
  return null;
end
$$;

create trigger suppressions_added_notified
  after insert on suppressions
  referencing new table as changed
  for each statement
  execute function notify_of_suppressions();

create trigger suppressions_removed_notified
  after delete on suppressions
  referencing old table as changed
  for each statement
  execute function notify_of_suppressions();
