/** SQL: the columns of a `SendEvent`. */
export const eventColumns = `id, send_id as "sendId", event_type as type, event_at as at, recipient,
          bounce_type as "bounceType", bounce_subtype as "bounceSubtype", complaint_type as "complaintType",
          suppression_reason as "suppressionReason", suppressed_at as "suppressedAt", reply_status as "replyStatus", reply,
          reporting_mta as "reportingMta", duration_ms as "durationMs", mode`;
