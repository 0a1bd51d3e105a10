import { emailOf } from "../../accounts/user-store.ts";
import { failoverWhileQueued, failoverWhileSubmitting } from "../../sends/attempt-details.ts";

export interface ExportedKind {
  /** Its rows are in `<name>.ndjson`. */
  name: string;
  table: string;
  /**
   * 1. `account`: the rows of the account, in the order of `key`. An index has that order, or the table is short.
   * 2. `sends`: the rows of each send of the account, in the order of the sends and then of `key`.
   * 3. `table`: all rows in the order of `key`, of which those of the account are exported: there is no index by account.
   */
  readBy: "account" | "sends" | "table";
  key: [column: string, type: string][];
  /** Columns of the lines, separated by spaces. The account is in the manifest. */
  columns: string;
  /** Further fields: SQL of a row `t`. */
  computed?: Record<string, string>;
  /** Columns that stay in the database: secrets, and state that only Postern uses. */
  withheld?: string;
  /** The column of the account, unless it is `account_id`. */
  account?: string;
  /** `id` has the time at which the row was made, and rows from after the start of the export are left out. */
  endsAtStart?: true;
}

const byId: ExportedKind["key"] = [["id", "uuid"]];
const byModeAndId: ExportedKind["key"] = [["mode", "text"], ...byId];
const byModeAndEmail: ExportedKind["key"] = [
  ["mode", "text"],
  ["email", "text"],
];

/** For tables without a column for the time at which the row was made. */
const timeOfId = { at: "time_of_id(t.id)" };

/** What an export has, in its order. `exported-kinds.test.ts` compares the tables and columns with the schema. */
export const exportedKinds: ExportedKind[] = [
  {
    name: "account",
    table: "accounts",
    readBy: "account",
    account: "id",
    key: byId,
    columns:
      "id name created_at suspended_at held_at guard_held_at guard_reason guard_released_at guard_off limit_per_second " +
      "limit_per_10_seconds limit_per_minute domain_limit domain_changes_per_minute api_key_limit totp_required has_webhooks",
    withheld: "hold_note domain_changes_at guard_epoch tenant_ready_at fingerprint_key keeps_key_texts",
  },
  {
    name: "quotas",
    table: "account_quotas",
    readBy: "account",
    key: [["mode", "text"]],
    columns: "mode recipients_per_day queued_recipients stored_content_bytes trial",
  },
  {
    name: "members",
    table: "memberships",
    readBy: "account",
    key: [["user_id", "uuid"]],
    columns: "user_id role created_at from_oidc is_closed",
    computed: {
      email: emailOf("t.user_id"),
      has_totp: "(select u.totp_enabled_at is not null from users u where u.id = t.user_id)",
    },
  },
  {
    name: "invitations",
    table: "invitations",
    readBy: "account",
    key: [["email", "text"]],
    columns: "id email role invited_by created_at expires_at",
    withheld: "token_hash",
  },
  {
    name: "api-keys",
    table: "api_keys",
    readBy: "account",
    key: byId,
    columns:
      "id name type key_prefix scopes domain created_at created_by created_by_email expires_at revoked_at last_used_at",
    withheld: "pepper_id secret_hmac newest_secret_id",
  },
  {
    name: "domains",
    table: "domains",
    readBy: "account",
    key: [["domain_name", "text"]],
    columns:
      "id domain_name verification_status challenge_token dkim_tokens dkim_zone is_dkim_verified record_checks created_at " +
      "registered_at last_checked_at next_check_at failing_since mail_from_subdomain mail_from_status",
    withheld:
      "configuration_set_name identity_arn check_requested_at denied_since denial_code probe_at probe_send_id registering_until tenant_started_at tenant_try_at " +
      "tenant_ready_at mail_from_wished_at mail_from_is_applied mail_from_due_at",
  },
  {
    name: "sends",
    table: "sends",
    readBy: "account",
    key: byModeAndId,
    columns:
      "id mode status from_address reply_to subject tags queued_at scheduled_at expires_at sent_at provider_message_id error_code " +
      "error_message suppressed_recipients idempotency_key api_key_id from_domain attachment_bytes erased_at",
    computed: {
      to: "t.to_addresses[1:t.to_count]",
      cc: "t.to_addresses[t.to_count + 1:t.to_count + t.cc_count]",
      bcc: "t.to_addresses[t.to_count + t.cc_count + 1:]",
      metadata: "t.metadata::json",
    },
    withheld: "recipient_keys outcomes payload_hash notified trace_context",
    endsAtStart: true,
  },
  {
    name: "attempts",
    table: "send_attempts",
    readBy: "sends",
    key: [["attempt", "integer"]],
    columns: "send_id attempt started_at ended_at outcome provider_message_id request_id",
    computed: {
      // As in the timeline of the API: what the provider says may name resources of the operator.
      detail: `case when t.outcome = 'returned' or t.detail in ('${failoverWhileQueued}', '${failoverWhileSubmitting}') then t.detail end`,
    },
  },
  {
    name: "delays",
    table: "delivery_delays",
    readBy: "sends",
    key: byId,
    columns: "id send_id mode delayed_at recipient delay_type reply_status reply expires_at",
  },
  {
    name: "events",
    table: "events",
    readBy: "account",
    key: byModeAndId,
    columns:
      "id send_id mode event_type event_at recipient bounce_type bounce_subtype complaint_type suppression_reason suppressed_at " +
      "reply_status reply reporting_mta duration_ms",
    endsAtStart: true,
  },
  {
    name: "suppressions",
    table: "suppressions",
    readBy: "account",
    key: byModeAndEmail,
    columns: "id mode email reason suppressed_at send_id note reported_reason reported_at",
  },
  {
    name: "removed-suppressions",
    table: "removed_suppressions",
    readBy: "account",
    key: byModeAndEmail,
    columns:
      "mode email removed_at removed_by_kind removed_by_name provider_status provider_finished_at provider_next_try_at provider_error",
  },
  {
    name: "webhook-endpoints",
    table: "webhook_endpoints",
    readBy: "account",
    key: byId,
    columns:
      "id mode url description types created_at disabled_at disabled_reason failing_since failed_deliveries listens_until",
  },
  {
    name: "webhook-networks",
    table: "webhook_networks",
    readBy: "account",
    key: [["network", "cidr"]],
    columns: "network created_at",
  },
  {
    name: "webhook-replays",
    table: "webhook_replays",
    readBy: "account",
    key: byId,
    columns: "id endpoint_id types from_at to_at only_failed state deliveries created_at finished_at",
    withheld: "part position due_at",
  },
  {
    name: "notifications",
    table: "notifications",
    readBy: "account",
    key: byModeAndId,
    columns: "id public_id mode type occurred_at send_id sequence send_status facts envelope is_rebuilt is_test",
    endsAtStart: true,
  },
  {
    name: "webhook-deliveries",
    table: "webhook_deliveries",
    readBy: "table",
    key: byId,
    columns: "id endpoint_id notification_id public_id type state is_replay is_test finished_at duration_ms send_id",
    computed: timeOfId,
    endsAtStart: true,
  },
  {
    name: "webhook-attempts",
    table: "webhook_attempts",
    readBy: "table",
    key: byId,
    columns: "id delivery_id endpoint_id attempt duration_ms status answer failure url",
    // A receiver that ignores the time of a request accepts the signature again.
    withheld: "signature",
    computed: timeOfId,
    endsAtStart: true,
  },
  {
    name: "requests",
    table: "logged_requests",
    readBy: "account",
    key: byId,
    columns: "id mode method route status error_code problems api_key_id user_id address request_id",
    computed: timeOfId,
    endsAtStart: true,
  },
  {
    name: "audit",
    table: "audit_entries",
    readBy: "account",
    key: byId,
    columns:
      "id at actor_kind actor_id actor_name action target_kind target_id target_name before after request_id reason",
    // As in the API: where an operator works is no data of the account.
    computed: { address: "case when t.actor_kind <> 'operator' then t.address end" },
    endsAtStart: true,
  },
  {
    name: "usage-hours",
    table: "usage_hours",
    readBy: "account",
    key: [
      ["mode", "text"],
      ["hour", "timestamptz"],
      ["domain", "text"],
    ],
    columns:
      "mode hour domain accepted_sends accepted_recipients content_bytes delivered bounced_hard bounced_soft complained suppressed " +
      "failed delayed delivery_times",
  },
  {
    name: "usage-key-hours",
    table: "usage_key_hours",
    readBy: "account",
    key: [
      ["api_key_id", "uuid"],
      ["hour", "timestamptz"],
    ],
    columns: "api_key_id hour sends recipients",
  },
  {
    name: "usage-tag-days",
    table: "usage_tag_days",
    readBy: "account",
    key: [
      ["mode", "text"],
      ["day", "date"],
      ["tag", "text"],
    ],
    columns:
      "mode day tag accepted_sends accepted_recipients delivered bounced_hard bounced_soft complained suppressed failed delayed " +
      "delivery_times",
  },
  {
    name: "usage-refusals",
    table: "usage_refusals",
    readBy: "account",
    key: [
      ["api_key_id", "uuid"],
      ["hour", "timestamptz"],
      ["code", "text"],
    ],
    columns: "api_key_id hour code count",
  },
];
