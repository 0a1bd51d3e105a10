-- Expands. When the caller wants the send to go out. Null for most sends, which costs nothing.
alter table sends add column scheduled_at timestamptz;
