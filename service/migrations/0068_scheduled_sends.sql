-- Expands. Sends that wait for their time, with their content until then (accept/queue-scheduled.ts). They have no row in send_queue, so claims,
-- ticks and failovers do not meet them, however many there are.
create table scheduled_sends (
  id uuid not null,
  account_id uuid not null,
  mode text not null,
  scheduled_at timestamptz not null,
  -- As in send_queue.
  expires_at timestamptz,
  from_domain text not null,
  counted_recipients smallint,
  recipients text[] not null,
  attachment_bytes integer,
  tags text[],
  sealed bytea not null,
  constraint scheduled_sends_id_once primary key (id),
  constraint scheduled_sends_mode_known check (mode in ('live', 'test'))
) with (
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);

-- Sealed bytes do not compress.
alter table scheduled_sends alter column sealed set storage external;

create index scheduled_sends_due_idx on scheduled_sends (mode, scheduled_at, id);
create index scheduled_sends_account_idx on scheduled_sends (account_id, id);
-- For the copies of attachments that outlive their week.
create index scheduled_sends_attachments_idx on scheduled_sends (id) where attachment_bytes is not null;

create policy own_account on scheduled_sends
  using (not (select is_bound_to_account()) or account_id = (select acting_account()));
alter table scheduled_sends enable row level security;
-- For the route that cancels a send. Not the content.
grant select (id, account_id, mode, scheduled_at, counted_recipients), update (mode), delete on scheduled_sends to pg_database_owner;

create or replace function content_of_send(account uuid, send uuid) returns bytea
  language sql stable
  security definer
  set search_path = public, pg_temp
as $$
  select coalesce(
    (select c.sealed from send_contents c where c.id = s.id),
    (select k.sealed from kept_contents k where k.id = s.id),
    (select p.sealed from scheduled_sends p where p.id = s.id)
  )
  from sends s
  where s.account_id = account
    and s.id = send
    and account = coalesce(acting_account(), account)
$$;

-- As in 0061, with scheduled sends.
create or replace function needs_attachments(first_id uuid, end_id uuid) returns boolean
  language plpgsql stable
  set search_path = public, pg_temp
as $$
begin
  return exists (
    select
    from (
      select q.id
      from send_queue q
      where q.id >= first_id
        and q.id < end_id
        and q.attachment_bytes is not null
      union all
      select p.id
      from scheduled_sends p
      where p.id >= first_id
        and p.id < end_id
        and p.attachment_bytes is not null
    ) as unfinished
    where not exists (select from kept_attachment_chunks k where k.id = unfinished.id and k.kept_at < now() - interval '1 minute')
      and exists (select from attachment_chunks c where c.id = unfinished.id)
  );
end
$$;
