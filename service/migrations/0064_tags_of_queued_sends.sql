-- Expands. The tags of a queued send, so that a claim counts the recipients that it suppresses without reading `sends`, whose partitions it
-- would have to lock. Null for sends without tags, which costs nothing. A file of its own: a claim locks send_queue and other tables (0023).
alter table send_queue add column tags text[];
