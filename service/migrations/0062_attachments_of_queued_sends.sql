-- Expands. A claim decides by it how much a worker takes and how long a lease lasts. A file of its own: a claim locks send_queue and other
-- tables (0023).
alter table send_queue add column attachment_bytes integer;
