const content =
  "The content and attachments of mails are sealed. GET /api/v1/send/:id/content returns them while they are kept.";
const secret = "Secrets, or hashes of secrets.";
const person = "Belongs to the person who logs in, who may be a member of other accounts.";
const onTheWay = "The state of mail and notifications that are on their way. Their records are in the export.";
const derived = "Counts and search entries that Postern makes from exported rows.";
const provider = "Messages of the provider that no account can read. What was applied of them is in the export.";
const move = "Where the account moved to, or came from. The operator moves accounts between cells.";
const trace = "A trace of an erasure or a deletion, without the address. The audit has its entry.";

/** Tables with rows of accounts, of their mail or of their people that an export leaves out, with the reason that its manifest says. */
export const leftOutTables: Record<string, string> = {
  account_deletions: trace,
  api_key_secrets: secret,
  attachment_chunks: content,
  code_attempts: person,
  content_views: secret,
  erasure_counts: trace,
  erasures: trace,
  feedback_quarantine: provider,
  forgotten_sends: trace,
  guard_counts: derived,
  idempotency_keys:
    "Hashes of idempotency keys. The sends have the keys, of accounts with webhooks, and the suppressed recipients.",
  incoming_moves: move,
  kept_attachment_chunks: content,
  kept_contents: content,
  list_changes: derived,
  list_counts: derived,
  list_days: derived,
  logged_request_hours: derived,
  logins: person,
  moved_feedback: provider,
  moved_rows: onTheWay,
  oidc_identities: person,
  outgoing_moves: move,
  password_resets: person,
  pending_attachments: onTheWay,
  queue_tails: onTheWay,
  queued_recipient_changes: derived,
  queued_recipient_counts: derived,
  rate_windows: "The state of the rate limits, of the last minute.",
  recovery_codes: secret,
  refresh_tokens: secret,
  sandbox_reports: provider,
  scheduled_sends: onTheWay,
  send_contents: content,
  send_queue: onTheWay,
  send_searches: derived,
  suppression_removals: "One list of the provider for all accounts. The removed suppressions have the state of each.",
  tenant_removals: "Names that workers remove at the provider.",
  usage_deltas: "Usage of the last seconds, before Postern adds it to the hours.",
  usage_tags: derived,
  users: "The members have the email of each person. Password and TOTP secret are secrets.",
  webhook_queue: onTheWay,
  webhook_secrets: secret,
};
