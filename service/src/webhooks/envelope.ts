import { explainBounce } from "../events/reasons/explain-bounce.ts";
import type { NotificationRow, NotifiedEvent } from "./notification-rows.ts";

/** The bytes that every endpoint gets, in every attempt: written once, at most 16 KiB, without content and without other recipients. */
export function renderEnvelope(row: NotificationRow): string {
  const whole = render(row, Number.POSITIVE_INFINITY);
  // Only texts full of control characters, six bytes each in JSON, come near the limit.
  return Buffer.byteLength(whole) <= maxEnvelopeBytes ? whole : render(row, 200);
}

const maxEnvelopeBytes = 16_384;

function render(row: NotificationRow, longestText: number): string {
  const { type, occurredAt, mode } = row;
  const envelope = { type, timestamp: new Date(occurredAt).toISOString(), mode, data: dataOf(row) };
  return JSON.stringify(envelope, (_, value: unknown) =>
    typeof value === "string" && value.length > longestText ? `${value.slice(0, longestText - 1)}…` : value,
  );
}

function dataOf(row: NotificationRow): Record<string, unknown> {
  const { type, facts, send, sendStatus, sequence, isRebuilt } = row;
  if (send === null) return objectData(row);
  const about = {
    send: {
      id: send.id,
      status: sendStatus,
      from: send.from,
      subject: send.subject,
      idempotency_key: send.idempotency_key,
      provider_message_id: send.provider_message_id,
      queued_at: new Date(send.queued_at).toISOString(),
      ...(send.tags && { tags: send.tags }),
      // Only the accept statement writes it, from a JSON object.
      ...(send.metadata && { metadata: JSON.parse(send.metadata) as unknown }),
    },
    ...(isRebuilt ? { rebuilt: true } : { sequence }),
  };
  if (type === "send.sent") return about;
  if (type === "send.failed") return { ...about, failure: facts };
  if (type === "send.delayed") return { ...about, ...delayOf(facts ?? {}) };
  return row.event === null ? about : { ...about, recipient: row.event.recipient, ...outcomeOf(type, row.event) };
}

function objectData({ type, facts }: NotificationRow): Record<string, unknown> {
  const what = facts ?? {};
  if (type.startsWith("domain.")) return { domain: what };
  if (type.startsWith("suppression.")) return { suppression: { ...what, since: utc(what.since) } };
  return { account: what };
}

function delayOf({ recipient, ...delay }: Record<string, unknown>): Record<string, unknown> {
  return { recipient, delay: { ...delay, expires_at: utc(delay.expires_at) } };
}

/** PostgreSQL names the zone of a time inside JSON as an offset. */
function utc(time: unknown): string | null {
  return typeof time === "string" ? new Date(time).toISOString() : null;
}

function outcomeOf(type: NotificationRow["type"], event: NotifiedEvent): Record<string, unknown> {
  switch (type) {
    case "send.delivered":
      return { delivery: { smtp_response: event.reply, duration_ms: event.durationMs } };
    case "send.bounced":
      return { bounce: bounceOf(event) };
    case "send.complained":
      return { complaint: { type: event.complaintType, suppressed: event.isSuppressed } };
    default:
      return {
        suppression: { reason: event.suppressionReason, since: utc(event.suppressedAt), send_id: event.causingSendId },
      };
  }
}

function bounceOf(event: NotifiedEvent): Record<string, unknown> {
  const type = event.bounceType ?? "Transient";
  const subtype = event.bounceSubtype ?? "Undetermined";
  const { cause, meaning, nextStep } = explainBounce({
    type,
    subtype,
    status: event.replyStatus ?? undefined,
    diagnostic: event.reply ?? undefined,
  });
  return {
    type,
    subtype,
    status: event.replyStatus,
    diagnostic: event.reply,
    explanation: { cause, meaning, next_step: nextStep },
    suppressed: event.isSuppressed,
  };
}
