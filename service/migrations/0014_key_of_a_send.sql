-- Expands. Which API key a send came from, so that an operator can cancel the queued mail of a leaked key. It is null for a send by
-- JWT and for sends accepted before this column existed. There is no index: only the operator asks, by account.
alter table sends add column api_key_id uuid;
