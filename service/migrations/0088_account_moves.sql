-- Expands. An account moves from this cell (outgoing_moves) or into it (incoming_moves): `postern admin move-account`, ADR 0017. Older code would
-- not know the states, so the command wants every process to know this step.
create table outgoing_moves (
  account_id uuid not null,
  -- The same in both cells.
  move_id uuid not null,
  -- copying: the account works as always. held: suspended, while what it began ends. frozen: nothing changes its rows any more.
  -- released: it lives in the target. unknown: a failover may have undone a later state; only the target knows which.
  state text not null default 'copying',
  -- The address of the target, its PUBLIC_URL, and its cell code.
  target_url text not null,
  target_cell text not null,
  started_at timestamptz not null default now(),
  -- The same as accounts.suspended_at from the hold on. Null while copying.
  held_at timestamptz,
  frozen_at timestamptz,
  released_at timestamptz,
  -- The history of the target's server (server_identity), stored before the release. After a failover there it is another one.
  releasing_on text,
  constraint outgoing_moves_once primary key (account_id),
  constraint outgoing_moves_state_known check (state in ('copying', 'held', 'frozen', 'released', 'unknown')),
  constraint outgoing_moves_held check ((held_at is null) = (state = 'copying')),
  constraint outgoing_moves_frozen check (frozen_at is not null or state not in ('frozen', 'released')),
  constraint outgoing_moves_released check ((released_at is not null) = (state = 'released'))
);

-- This row decides for both cells: released, and the account lives here; undone, and it stays in the source.
create table incoming_moves (
  account_id uuid not null,
  move_id uuid not null,
  state text not null default 'copying',
  -- The run of the command that may write and release. Each run begins with a new one, so an earlier one that slept can do neither.
  run_id uuid not null,
  source_url text not null,
  source_cell text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint incoming_moves_once primary key (account_id),
  constraint incoming_moves_state_known check (state in ('copying', 'released', 'undone')),
  constraint incoming_moves_ended check ((ended_at is null) = (state = 'copying'))
);

-- The rows of the queues of frozen accounts. They are taken out of their tables, so that nothing that works on a queue meets them.
create table moved_rows (
  account_id uuid not null,
  -- The table that they come from.
  kind text not null,
  id uuid not null,
  row jsonb not null,
  constraint moved_rows_once primary key (account_id, kind, id),
  constraint moved_rows_kind_known check (kind in ('send_queue', 'scheduled_sends', 'webhook_queue'))
);

-- What the provider reports about sends of frozen and released accounts. The command applies it in the target.
create table moved_feedback (
  id bigint generated always as identity,
  account_id uuid not null,
  feedback jsonb not null,
  stored_at timestamptz not null default now(),
  constraint moved_feedback_once primary key (id)
);

create index moved_feedback_account_idx on moved_feedback (account_id, id);

-- Whether the account is on its way, or lives in another cell.
create function is_moving_account(account uuid) returns boolean
  language sql
  stable
  security definer
  set search_path = public, pg_temp
as $$
  select exists (select from outgoing_moves m where m.account_id = account and m.state <> 'copying')
    or exists (select from incoming_moves m where m.account_id = account and m.state = 'copying')
$$;

-- Whether the statements of this transaction belong to a move.
create function is_part_of_move() returns boolean
  language sql
  stable
  set search_path = public, pg_temp
as $$
  select coalesce(current_setting('postern.moves_account', true), '') = 'on'
$$;

create function refuse_during_move() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_moving_account(new.account_id) and not is_part_of_move() then
    raise exception 'the account is moving to another cell, or has moved there' using errcode = 'PS002';
  end if;
  return new;
end
$$;

-- Every management statement of a person writes an entry, so none of them changes what was copied. Two write it for another reason: a deletion begins
-- two days later, and an erasure, which does not begin during a move, also erases what a released account left.
create trigger audit_entries_not_during_move before insert on audit_entries for each row
  when (new.actor_kind <> 'system' and new.action not like 'account.delete%' and new.action <> 'address.erase')
  execute function refuse_during_move();

create function refuse_resume_during_move() returns trigger
  language plpgsql
  security definer
  set search_path = public, pg_temp
as $$
begin
  if is_moving_account(new.id) and not is_part_of_move() then
    raise exception 'the account is moving to another cell, or has moved there' using errcode = 'PS002';
  end if;
  return new;
end
$$;

create trigger accounts_stay_suspended_during_move before update of suspended_at on accounts for each row
  when (old.suspended_at is not null and new.suspended_at is distinct from old.suspended_at)
  execute function refuse_resume_during_move();

alter table accounts
  -- The fingerprint key with which the account came from another cell, by its name in sealed_keys. Null: the key of this cell.
  add column fingerprint_key text,
  -- The account moves away: its sends have the text of their idempotency keys, by which the move finds them.
  add column keeps_key_texts boolean not null default false;

-- The queues of this cell lack rows of an account that moves: a frozen one has them in moved_rows, and one that is copied gets them last. So nothing may
-- be deleted because its send or its delivery is in no queue. A statement that asks reads the queue in the same snapshot: a freeze
-- moves the rows in the commit that sets the state.
create function keeps_rows_of_moves() returns boolean
  language sql
  stable
  security definer
  set search_path = public, pg_temp
as $$
  select exists (select from outgoing_moves m where m.state in ('frozen', 'unknown'))
    or exists (select from incoming_moves m where m.state = 'copying')
$$;

-- As in 0061, with moves. One expression, so that its parts have one snapshot.
create or replace function drop_oldest_contents(retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  expired record;
  chunks record;
begin
  if retention_days < 7 then
    raise exception 'contents are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of send_contents', 0));
  for expired in
    select r.name, r.starts_at, r.ends_at, first_id_at(r.starts_at) as first_id, first_id_at(r.ends_at) as end_id
    from partition_ranges r
    where r.parent = 'send_contents'
      and r.ends_at <= moment - make_interval(hours => 24 * retention_days)
    order by r.starts_at
  loop
    lock table kept_contents in exclusive mode;
    execute format('lock table %I in share row exclusive mode', expired.name);
    continue when keeps_rows_of_moves() or exists (
      select from (
        select queued.id
        from (
          select q.id
          from send_queue q
          where q.id >= expired.first_id
            and q.id < expired.end_id
          order by q.id
          offset 0
        ) queued
        where not exists (
          select from (
            select k.id
            from kept_contents k
            where k.id >= expired.first_id
              and k.id < expired.end_id
              and k.kept_at < now() - interval '1 minute'
            order by k.id
            offset 0
          ) copy
          where copy.id = queued.id
        )
        offset 0
      ) unkept
      where exists (select from send_contents c where c.id = unkept.id)
    ) or needs_attachments(expired.first_id, expired.end_id);
    execute format('alter table send_contents detach partition %I', expired.name);
    execute format('drop table %I', expired.name);
    -- Both tables have partitions that begin and end within one week.
    for chunks in
      select r.name
      from partition_ranges r
      where r.parent = 'attachment_chunks'
        and r.ends_at > expired.starts_at
        and r.ends_at <= expired.ends_at
    loop
      execute format('alter table attachment_chunks detach partition %I', chunks.name);
      execute format('drop table %I', chunks.name);
    end loop;
    return expired.name;
  end loop;
  return null;
end
$$;

-- As in 0078, with moves.
create or replace function droppable_sends(ids uuid[], ended_before timestamptz) returns uuid[]
  language plpgsql
  set search_path = public, pg_temp
as $$
declare
  first_id uuid := ids[1];
  last_id uuid := ids[cardinality(ids)];
  droppable uuid[];
begin
  execute format(
    $find$
      select array_agg(s.id order by s.id)
      from sends s
      where s.id = any (%1$L::uuid[])
        and not (select keeps_rows_of_moves())
        and (s.sent_at is null or s.sent_at < %2$L)
        and s.id not in (select e.send_id from events e where e.send_id >= %3$L and e.send_id <= %4$L)
        and s.id not in (select q.id from send_queue q where q.id >= %3$L and q.id <= %4$L)
        and s.id not in (select p.id from scheduled_sends p where p.id >= %3$L and p.id <= %4$L)
        and s.id not in (select n.send_id from notifications n where n.envelope is null and n.send_id >= %3$L and n.send_id <= %4$L)
    $find$, ids, ended_before, first_id, last_id
  ) into droppable;
  return droppable;
end
$$;

-- As in 0047, with moves.
create or replace function drop_oldest_webhooks(of_table text, retention_days integer, moment timestamptz) returns text
  language plpgsql
  security definer
  set search_path = public, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  ended_before timestamptz := moment - make_interval(hours => 24 * retention_days);
  expired text;
begin
  if of_table not in ('notifications', 'webhook_deliveries', 'webhook_attempts') then
    raise exception 'no weeks are dropped of %', of_table;
  end if;
  if retention_days < 7 then
    raise exception 'deliveries are kept for 7 days at least, not for %', retention_days;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0));
  select r.name
  into expired
  from partition_ranges r
  where r.parent = of_table
    and r.ends_at <= ended_before
    and (
      r.ends_at <= ended_before - interval '7 days'
      or not keeps_rows_of_moves() and not exists (
        select
        from webhook_queue q
        where case of_table when 'notifications' then q.notification_id else q.delivery_id end >= first_id_at(r.starts_at)
          and case of_table when 'notifications' then q.notification_id else q.delivery_id end < first_id_at(r.ends_at)
      )
    )
  order by r.starts_at
  limit 1;
  if expired is null then
    execute format('delete from %I where id < $1', of_table || '_default') using first_id_at(ended_before - interval '7 days');
    return null;
  end if;
  execute format('alter table %I detach partition %I', of_table, expired);
  execute format('drop table %I', expired);
  return expired;
end
$$;
