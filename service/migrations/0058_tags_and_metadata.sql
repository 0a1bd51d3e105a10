-- Expands. What callers attach to a send for themselves. Neither goes to the provider. Null for most sends, which costs nothing.
alter table sends
  add column tags text[],
  -- Canonical JSON. Text, because Postern only stores it and gives it back.
  add column metadata text;
