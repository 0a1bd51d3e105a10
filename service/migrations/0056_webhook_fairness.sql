-- Expands, and removes an index that only a worker of the release before uses: it finds new notifications by the other one. Workers take
-- the same share of every account (webhooks/take-new-notifications.ts).
create index notifications_new_of_account_idx on notifications (account_id, id) where envelope is null;
drop index notifications_new_idx;

-- Endpoints that fail and that were disabled: to disable the first, and for notices about both (notices/find-causes.ts).
create index webhook_endpoints_failing_idx on webhook_endpoints (failing_since) where failing_since is not null and disabled_at is null;
create index webhook_endpoints_disabled_idx on webhook_endpoints (disabled_at) where disabled_at is not null;

-- Like send_queue: by the number of dead rows, so that a long backlog does not put a vacuum off.
alter table webhook_queue set (
  autovacuum_vacuum_scale_factor = 0.0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.0,
  autovacuum_vacuum_insert_threshold = 20000
);
