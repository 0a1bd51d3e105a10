-- Expands. What the route that cancels a send needs (queue/cancel-send.ts). The policies of 0013, 0027 and 0028 restrict each right to the
-- rows of the account; PostgreSQL wants the right to update one column for a row lock.
grant delete, update (state) on send_queue to pg_database_owner;
grant update (status, error_code, error_message, notified) on sends to pg_database_owner;
grant insert on usage_deltas, queued_recipient_changes to pg_database_owner;
