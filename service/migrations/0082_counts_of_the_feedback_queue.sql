-- Expands. How many messages the queue of the provider's events and its dead-letter queue have, as a worker last counted them
-- (feedback/count-queue.ts). Null: not counted yet, or the AWS account does not permit it.
alter table feedback_progress
  add column queued_messages bigint,
  add column in_flight_messages bigint,
  add column dead_letters bigint,
  add column queue_counted_at timestamptz;
