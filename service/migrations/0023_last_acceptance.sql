-- Expands. When the provider last accepted mail, noted every half minute. While it accepts mail, denied domains hold nobody else.
-- A file of its own, as 0018 and 0024: a claim locks provider_state, send_queue and domains, so a migration that held a lock on one
-- of them and waited for another could deadlock with it.
alter table provider_state add column accepted_at timestamptz;
