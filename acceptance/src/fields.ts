/** Names of the published interface that several tests share. */
export const statuses = ["queued", "processing", "sent", "delivered", "bounced", "complained", "suppressed", "failed"];
export const eventTypes = ["Delivery", "Bounce", "Complaint", "Suppression"];
export const acceptanceFields = ["id", "status", "idempotency_key", "queued_at", "idempotent"];
/** Postern adds it to every record, suppression and event. */
const addition = "mode";
export const recordFields = [
  "id",
  "status",
  "from_address",
  "to_addresses",
  "subject",
  "queued_at",
  "sent_at",
  "provider_message_id",
  "error_code",
  "error_message",
  addition,
];
export const keyFields = ["id", "name", "type", "key_prefix", "expires_at", "created_at"];
/** Postern adds them to every key. */
export const keyAdditions = ["scopes", "domain", "last_used_at", "created_by"];
export const registeredFields = ["tenant_id", "domain_id", "domain_name", "identity_arn", "dns_records"];
export const listedDomainFields = [
  "domain_id",
  "tenant_id",
  "domain_name",
  "verification_status",
  "identity_arn",
  "configuration_set_name",
];
/** Postern adds them to every listed domain. */
export const listedDomainAdditions = ["last_checked_at", "next_check_at", "records_found", "records_total"];
export const suppressionFields = ["id", "email", "reason", "suppressed_at", addition];
export const eventFields = ["id", "email_id", "event_type", "event_timestamp", "recipient", addition];
/** Postern adds them to deliveries and bounces, if the provider reported them. */
export const replyFields = [
  "bounce_status",
  "diagnostic",
  "explanation",
  "smtp_response",
  "duration_ms",
  "reporting_mta",
];
export const paginationFields = ["page", "limit", "total", "total_pages"];

/** Every endpoint. The ids in the paths do not have to exist. */
export const allEndpoints = [
  { method: "POST", path: "/api/v1/send" },
  { method: "GET", path: "/api/v1/send/018f0000-0000-7000-8000-000000000000/status" },
  { method: "POST", path: "/api/v1/domains" },
  { method: "GET", path: "/api/v1/domains" },
  { method: "GET", path: "/api/v1/domains/1" },
  { method: "DELETE", path: "/api/v1/domains/1" },
  { method: "POST", path: "/api/v1/api-keys" },
  { method: "GET", path: "/api/v1/api-keys" },
  { method: "DELETE", path: "/api/v1/api-keys/018f0000-0000-7000-8000-000000000000" },
  { method: "GET", path: "/api/v1/suppression" },
  { method: "DELETE", path: "/api/v1/suppression/nobody%40sandbox.test" },
  { method: "GET", path: "/api/v1/events" },
];
export const userEndpoints = allEndpoints.filter(({ path }) => !path.startsWith("/api/v1/send"));
export const unknownId = "018f0000-0000-7000-8000-000000000000";
