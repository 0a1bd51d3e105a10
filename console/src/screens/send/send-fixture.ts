import type { Event, SendRecord, Timeline } from "../../api/api-types.ts";

/** Builds sends and timelines for tests. Times are milliseconds after the acceptance. */

export type Entry = Timeline["entries"][number];

const acceptedAt = Date.parse("2026-11-16T14:22:04.118Z");
export const id = "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4";

export function at(ms: number): string {
  return new Date(acceptedAt + ms).toISOString();
}

export function aSend(fields: Partial<SendRecord> = {}): SendRecord {
  return {
    id,
    status: "delivered",
    from_address: "Fernhill Books <orders@fernhill.example>",
    to_addresses: ["jane@whitaker.example"],
    subject: "Your order has shipped",
    queued_at: at(0),
    sent_at: at(243),
    provider_message_id: "0102019a8c41e7b2-6d0f41c7-000000",
    error_code: null,
    error_message: null,
    mode: "live",
    ...fields,
  };
}

/** The entry `accepted` comes first, so a test gives only what follows. */
export function aTimeline(send: SendRecord, entries: Entry[] = [], suppressed: string[] = []): Timeline {
  const { status, error_code, error_message, mode, to_addresses } = send;
  const accepted: Entry = {
    type: "accepted",
    at: send.queued_at,
    recipients: to_addresses.length,
    suppressed_recipients: suppressed,
  };
  return { id, status, error_code, error_message, mode, complete: true, entries: [accepted, ...entries] };
}

export function anEvent(event_type: Event["event_type"], ms: number, fields: Partial<Event> = {}): Entry {
  const base = { id: `${event_type}-${ms}`, email_id: id, mode: "live", recipient: "jane@whitaker.example" } as const;
  return { type: "event", at: at(ms), event: { ...base, event_type, event_timestamp: at(ms), ...fields } };
}

export function delivered(ms: number, recipient = "jane@whitaker.example"): Entry {
  const reply = { smtp_response: "250 2.0.0 Ok: queued as 4F2kQz1vX9", reporting_mta: "dns; mx1.whitaker.example" };
  return anEvent("Delivery", ms, { recipient, ...reply });
}

type Cause = NonNullable<Event["explanation"]>["cause"];

export function bounced(
  ms: number,
  recipient: string,
  { cause = "unknown-mailbox", type = "Permanent" }: { cause?: Cause; type?: "Permanent" | "Transient" } = {},
): Entry {
  return anEvent("Bounce", ms, {
    recipient,
    bounce_type: type,
    bounce_status: "5.1.1",
    diagnostic: "smtp; 550 5.1.1 User unknown",
    reporting_mta: "dns; mx2.oakmere.example",
    explanation: { cause, meaning: `The meaning of ${cause}.`, next_step: `The next step of ${cause}.` },
  });
}

export function delayed(ms: number, recipient: string, retriedUntil: string | null, type = "MailboxFull"): Entry {
  return {
    type: "delayed",
    at: at(ms),
    recipient,
    delay_type: type,
    status: "4.2.2",
    diagnostic: "452 4.2.2 The inbox is out of storage space",
    retried_until: retriedUntil,
  };
}

export function attempt(ms: number, fields: Partial<Extract<Entry, { type: "attempt" }>> = {}): Entry {
  const nothing = { ended_at: null, outcome: null, provider_message_id: null, request_id: null, detail: null };
  return { type: "attempt", at: at(ms), attempt: 1, ...nothing, ...fields };
}
