-- Expands. The recipients of a queued send, if its account has a quota for them. Null otherwise, which takes no space, and null for a
-- send that an operator retries. It does not change while the send is queued, also when some of its recipients are suppressed, so
-- what is added to the count is subtracted again. A file of its own: a claim locks send_queue and other tables (0023).
alter table send_queue add column counted_recipients smallint;
