-- Expands. Copying the rows of an account into this cell (moves/copy-records/).

-- Makes the partition before the oldest one and returns its name, or null when partitions cover `first`: an account comes with records that are
-- older than this cell. As make_next_partition (0070) in all other respects.
create function make_past_partition(of_table text, by_span text, first timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '2s'
as $$
declare
  attached bigint;
  starts timestamp;
  ends timestamp;
  is_taken boolean;
  made text;
begin
  if not exists (select from partition_ranges r where r.parent = of_table) or by_span not in ('month', 'week', 'day') then
    raise exception 'no partitions are made of % by %', of_table, by_span;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select count(*), min(r.starts_at) at time zone 'UTC'
  into attached, ends
  from partition_ranges r
  where r.parent = of_table;
  if ends is null or ends <= first at time zone 'UTC' then
    return null;
  end if;
  if attached >= 200 then
    raise exception '% has % partitions, and more would make its statements slow', of_table, attached
      using errcode = 'program_limit_exceeded', hint = 'Detach old partitions, or set PARTITION_SPAN=month.';
  end if;

  -- The oldest partition may begin within a month, after a change of span.
  starts := date_trunc(by_span, ends - interval '1 microsecond');
  execute format('select exists (select from %I where id >= $1 and id < $2)', of_table || '_default')
  into is_taken
  using first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC');
  -- Rows of that time are in the default partition. Those that come stay there too, and raise the alarm that they raise already.
  if is_taken then
    return null;
  end if;

  made := of_table || to_char(starts, case
    when by_span = 'month' and starts = date_trunc('month', starts) then '_YYYY_MM'
    else '_YYYY_MM_DD'
  end);
  execute format('create table %I (like %I including all)', made, of_table);
  if of_table = 'sends' then
    execute format('alter table %I set (fillfactor = 50)', made);
  end if;
  execute format(
    'alter table %I attach partition %I for values from (%L) to (%L)',
    of_table, made, first_id_at(starts at time zone 'UTC'), first_id_at(ends at time zone 'UTC')
  );
  return made;
end
$$;

revoke all on function make_past_partition (text, text, timestamptz) from public;

-- As in 0052. The source has notified of the events that a move copies.
create or replace function notify_of_events() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
declare
  happened record;
  numbered record;
begin
  if is_part_of_move() then
    return null;
  end if;
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

-- As in 0053. The source has notified of the delays that a move copies.
create or replace function notify_of_delays() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
declare
  happened record;
  numbered record;
begin
  if is_part_of_move() then
    return null;
  end if;
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

-- As in 0054. The source has notified of the changes that a move copies.
create or replace function notify_of_suppressions() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_part_of_move() then
    return null;
  end if;
  perform notify_account(changed.account_id, changed.mode, case tg_op when 'INSERT' then 'suppression.added' else 'suppression.removed' end,
    jsonb_build_object('email', changed.email, 'reason', changed.reason, 'since', changed.suppressed_at, 'send_id', changed.send_id))
  from changed
  order by changed.account_id, changed.mode, changed.email;
  return null;
end
$$;

-- As in 0051. The source has notified of a hold that a move copies.
create or replace function notify_of_hold() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_part_of_move() then
    return null;
  end if;
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

-- As in 0035. A move copies the secrets themselves.
create or replace function keep_secret_of_key() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_part_of_move() then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into api_key_secrets (id, key_id, account_id, pepper_id, hmac)
    values (new.id, new.id, new.account_id, new.pepper_id, new.secret_hmac)
    on conflict (id) do nothing;
  else
    update api_key_secrets
    set pepper_id = new.pepper_id, hmac = new.secret_hmac
    where hmac = old.secret_hmac
      and not exists (select from api_key_secrets s where s.hmac = new.secret_hmac);
  end if;
  return null;
end;
$$;

-- As in 0036. A move copies the members of an account that has an owner, and removes those who left before it adds new ones.
create or replace function require_owner() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_part_of_move() then
    return null;
  end if;
  perform from accounts where id = old.account_id for no key update;
  if found and not exists (select from memberships where account_id = old.account_id and role = 'owner') then
    raise exception 'the account % would have no owner', old.account_id
      using errcode = 'check_violation', constraint = 'memberships_owner_remains', table = 'memberships';
  end if;
  return null;
end;
$$;
