-- Expands. The recipients of a queued send, if its account has a quota for them; null otherwise. It never changes while the send is
-- queued, also when some of its recipients are suppressed, so what is added to the count is subtracted again.
-- A file of its own: a claim locks send_queue and other tables (0023).
alter table send_queue add column counted_recipients smallint;

-- The condition is checked before the function is called: other sends cost no call.
create trigger send_queue_inserted
  after insert on send_queue
  for each row when (new.counted_recipients is not null) execute function note_queued_recipients();
create trigger send_queue_deleted
  after delete on send_queue
  for each row when (old.counted_recipients is not null) execute function note_queued_recipients();
