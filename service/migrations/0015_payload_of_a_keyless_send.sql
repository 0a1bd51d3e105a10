-- Expands. The answer to a send without an idempotency key names the send's id as its key. This keyed hash of the payload tells a
-- repeat under that key from another payload. It is null for a send with a key of its own: idempotency_keys has its fingerprint.
alter table sends add column payload_hash bytea;
