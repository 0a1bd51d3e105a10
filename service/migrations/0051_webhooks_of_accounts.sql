-- Expands. What an account needs for webhooks, and the notifications of its holds.

-- Whether acceptance keeps the idempotency key. The statement of acceptance reads this row anyway.
alter table accounts add column has_webhooks boolean not null default false;

create function note_webhooks_of_account() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
declare
  account uuid := coalesce(new.account_id, old.account_id);
begin
  -- Locks first: of two concurrent changes the second sees the first.
  perform from accounts where id = account for no key update;
  update accounts
  set has_webhooks = not has_webhooks
  where id = account
    and has_webhooks <> exists (select from webhook_endpoints where account_id = account and disabled_at is null);
  return null;
end
$$;

create trigger webhook_endpoints_noted
  after insert or delete or update of disabled_at on webhook_endpoints
  for each row execute function note_webhooks_of_account();

grant select (has_webhooks) on accounts to pg_database_owner;

create function notify_of_hold() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if (old.held_at is null) <> (new.held_at is null) then
    perform notify_account(new.id, null, case when new.held_at is null then 'account.released' else 'account.held' end,
      jsonb_build_object('held_by', 'operator'));
  end if;
  if (old.guard_held_at is null) <> (new.guard_held_at is null) then
    perform notify_account(new.id, 'live', case when new.guard_held_at is null then 'account.released' else 'account.held' end,
      jsonb_build_object('held_by', 'guard', 'reason', coalesce(new.guard_reason, old.guard_reason)));
  end if;
  return null;
end
$$;

create trigger accounts_notified
  after update of held_at, guard_held_at on accounts
  for each row
  when ((old.held_at is null) <> (new.held_at is null) or (old.guard_held_at is null) <> (new.guard_held_at is null))
  execute function notify_of_hold();
