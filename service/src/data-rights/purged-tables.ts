/**
 * The tables with rows of an account, by how they are purged. `purge-account.test.ts` compares them with the schema.
 *
 * 1. `first`: what would make new rows: endpoints, and then their queue. A fan-out holds its endpoints until its commit.
 * 2. `sends`, with everything that belongs to one send (purge-sends.ts).
 * 3. `byKey`: large tables without an index by account. They are read in the order of their key.
 * 4. `byMode`: large tables with an index by account, mode and id.
 * 5. `domains`, whose identities the workers remove at SES.
 * 6. `last`: all others. Lists, counters and keys come after what changes them.
 *
 * Then the audit, the memberships and the account itself, in one commit (purge-account.ts).
 */
export const purgedTables = {
  first: ["webhook_replays", "webhook_networks", "webhook_secrets", "webhook_endpoints", "webhook_queue"],
  byKey: [
    ["idempotency_keys", "key_hash"],
    ["webhook_deliveries", "id"],
    ["webhook_attempts", "id"],
    ["delivery_delays", "id"],
  ],
  byMode: ["events", "notifications"],
  last: [
    "suppressions",
    "removed_suppressions",
    "pending_attachments",
    "content_views",
    "usage_deltas",
    "usage_hours",
    "usage_key_hours",
    "usage_tag_days",
    "usage_tags",
    "usage_refusals",
    "guard_counts",
    "list_changes",
    "list_counts",
    "list_days",
    "queued_recipient_changes",
    "queued_recipient_counts",
    "account_quotas",
    "rate_windows",
    "queue_tails",
    "api_key_secrets",
    "api_keys",
    "erasure_counts",
    "logged_requests",
    "logged_request_hours",
    "moved_rows",
    "moved_feedback",
  ],
} as const;
