-- Expands. The same time for claims and for the tick that ends expired sends. The index has entries only for sends that expire and that no
-- worker has. A file of its own: a claim locks send_queue and other tables (0023).
alter table send_queue add column expires_at timestamptz;
create index send_queue_expiry_idx on send_queue (mode, expires_at)
  where expires_at is not null and state in ('ready', 'waiting', 'parked');
