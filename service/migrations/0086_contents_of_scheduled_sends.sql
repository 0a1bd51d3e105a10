-- Expands. The content of a send that was scheduled far ahead, in kept_contents, stays as long as that of any other mail, and its attachments with
-- it. Its week began long before it was submitted, so its retention counts from when it entered the queue.
-- step: when the retention begins
alter table kept_contents
  -- Null for copies of sends whose retention ended while they were on their way: they go when the send is final.
  add column if not exists counted_from timestamptz,
  -- Of a row with `counted_from`; null without attachments.
  add column if not exists attachment_bytes integer;
-- step: finds the rows with attachments
create index concurrently if not exists kept_contents_attachments_idx on kept_contents (id) where attachment_bytes is not null;
-- step: attachments of these contents need copies too (0068)
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
      union all
      select c.id
      from kept_contents c
      where c.id >= first_id
        and c.id < end_id
        and c.attachment_bytes is not null
    ) as unfinished
    where not exists (select from kept_attachment_chunks k where k.id = unfinished.id and k.kept_at < now() - interval '1 minute')
      and exists (select from attachment_chunks c where c.id = unfinished.id)
  );
end
$$;
