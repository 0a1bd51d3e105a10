-- Expands. After this time the send is not submitted. Null for most sends, which costs nothing.
alter table sends add column expires_at timestamptz;
