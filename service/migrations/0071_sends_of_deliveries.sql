-- Expands. The send that a delivery is about, so that the page of a send finds its deliveries. Null for notifications that are about no send,
-- and for deliveries from before this migration, which are deleted after 30 days.
alter table webhook_deliveries add column send_id uuid;

create index webhook_deliveries_send_idx on webhook_deliveries (send_id, id) where send_id is not null;
