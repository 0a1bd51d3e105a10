-- Expands. Finds the domains with parked sends and the send that was parked first. It has entries for parked sends only.
create index send_queue_parked_domain_idx on send_queue (mode, account_id, from_domain, due_at) where state = 'parked';
