import { expect, test } from "vitest";
import { textColumns } from "../../test/address-hits.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { erasedSendColumns } from "./erase-sends.ts";
import { erasedTables } from "./erased-columns.ts";

const database = useTestDatabase();

/** Columns that erasing an address leaves as they are, by the reason. A new column belongs here or in erased-columns.ts. */
const staying: Record<string, string[]> = {
  "the suppression list keeps its entries": ["suppressions.email"],
  "people log in with it, and the command says so": ["users.email", "users.contact_email", "oidc_identities.subject"],
  "the endpoint works by it, and the command says so": ["webhook_endpoints.url"],
  "cancelling or finishing the send deletes the row": ["send_queue.recipients", "scheduled_sends.recipients"],
  "no erasure begins while an account is moving, and the move deletes the row": ["moved_rows.row"],
  "sealed, and deleted with the send": [
    "attachment_chunks.sealed",
    "kept_attachment_chunks.sealed",
    "kept_contents.sealed",
    "scheduled_sends.sealed",
    "send_contents.sealed",
  ],
  "sealed secrets, hashes and random values": [
    "api_key_secrets.hmac",
    "api_keys.secret_hmac",
    "content_views.token_hash",
    "erasures.address_hash",
    "feedback_quarantine.raw_hash",
    "idempotency_keys.fingerprint",
    "invitations.token_hash",
    "login_attempts.bucket",
    "password_resets.token_hash",
    "recovery_codes.code_hash",
    "refresh_tokens.nonce",
    "sealed_keys.sealed",
    "sends.payload_hash",
    "sends.trace_context",
    "used_oidc_states.state_hash",
    "users.password_hash",
    "users.totp_secret",
    "webhook_attempts.signature",
    "webhook_secrets.sealed",
  ],
  "tags have no @": [
    "scheduled_sends.tags",
    "send_queue.tags",
    "sends.tags",
    "usage_deltas.tags",
    "usage_tag_days.tag",
    "usage_tags.tag",
  ],
  "domain names": [
    "api_keys.domain",
    "domains.dkim_tokens",
    "domains.dkim_zone",
    "domains.domain_name",
    "domains.identity_arn",
    "domains.mail_from_subdomain",
    "identity_removals.domain_name",
    "scheduled_sends.from_domain",
    "send_queue.from_domain",
    "sends.from_domain",
    "tenant_removals.domain_name",
    "usage_deltas.domain",
    "usage_hours.domain",
  ],
  "written by the provider, the browser, PostgreSQL or Postern, without addresses of mail": [
    "account_deletions.finished_by",
    "account_deletions.requested_by",
    "account_deletions.rows",
    "accounts.fingerprint_key",
    "api_key_secrets.key_prefix",
    "api_key_secrets.pepper_id",
    "api_keys.key_prefix",
    "api_keys.pepper_id",
    "audit_entries.actor_id",
    "audit_entries.address",
    "audit_entries.request_id",
    "chore_runs.name",
    "chores.name",
    "delivery_delays.delay_type",
    "delivery_delays.reply_status",
    "domains.challenge_token",
    "domains.configuration_set_name",
    "domains.denial_code",
    "erasures.position",
    "erasures.step",
    "erasure_counts.table_name",
    "events.bounce_subtype",
    "events.complaint_type",
    "events.reply_status",
    "failovers.server_after",
    "failovers.server_before",
    "incoming_moves.source_cell",
    "incoming_moves.source_url",
    "logged_request_hours.code",
    "logged_requests.address",
    "logged_requests.error_code",
    "logged_requests.method",
    "logged_requests.problems",
    "logged_requests.request_id",
    "logged_requests.route",
    "logins.address",
    "logins.device",
    "moved_rows.kind",
    "oidc_identities.issuer",
    "outgoing_moves.releasing_on",
    "outgoing_moves.target_cell",
    "outgoing_moves.target_url",
    "processes.chores",
    "processes.name",
    "processes.version",
    "provider_state.server",
    "provider_state.server_run",
    "removed_suppressions.provider_error",
    "schema_contracts.name",
    "schema_migrations.name",
    "sealed_keys.name",
    "send_attempts.provider_message_id",
    "send_attempts.request_id",
    "sends.error_code",
    "sends.provider_message_id",
    "usage_refusals.code",
  ],
};

/** Closed sets of values, most of them with a check. */
const closedSets =
  /\.(mode|status|state|type|types|role|reason|reported_reason|outcome|event_type|bounce_type|suppression_reason|verification_status|mail_from_status|enforcement_status|provider|hold_reason|actor_kind|action|target_kind|list|cause|scopes|purpose|disabled_reason|removed_by_kind|provider_status|send_status|part)$/;

test("each column that can hold text is erased, or stays for a known reason", async () => {
  const erased = [
    ...erasedSendColumns.map((column) => `sends.${column}`),
    ...erasedTables.flatMap(({ table, columns }) => Object.keys(columns).map((column) => `${table}.${column}`)),
  ];
  const known = new Set([...erased, ...Object.values(staying).flat()]);
  const stored = (await textColumns(database.db)).map(({ table, column }) => `${table}.${column}`);
  expect(
    stored.filter((name) => !known.has(name) && (!closedSets.test(name) || name === "audit_entries.reason")),
  ).toEqual([]);
  expect([...known].filter((name) => !stored.includes(name))).toEqual([]);
});
