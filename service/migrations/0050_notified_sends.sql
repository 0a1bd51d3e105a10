-- Expands. What a send needs for webhooks.

-- How many notifications the send has. Null without any, so that the row of an account without endpoints does not grow.
alter table sends add column notified integer;
-- The key that the caller chose, for notifications; only of accounts with endpoints. Elsewhere a keyed hash is kept and nothing else.
alter table sends add column idempotency_key text;

-- The next number of the send and its status, under the lock of its row. Outside of repeatable read the id must be a constant of the
-- statement: PostgreSQL 18.4 crashes when it prunes partitions again for a row that another transaction has just changed (db/database.ts).
-- A send whose recipients are all suppressed at the claim becomes 'suppressed' in the next statement; no later notification would say so.
create function number_notification(send uuid, out sequence integer, out status text)
  language plpgsql
as $$
begin
  if current_setting('transaction_isolation') = 'repeatable read' then
    update sends s
    set notified = coalesce(s.notified, 0) + 1
    where s.id = send
    returning s.notified, s.status into sequence, status;
  else
    execute format('update sends set notified = coalesce(notified, 0) + 1 where id = %L returning notified, status', send)
    into sequence, status;
  end if;
  if status = 'queued' and exists (select from send_queue q where q.id = send and q.recipients = '{}') then
    status := 'suppressed';
  end if;
end
$$;
