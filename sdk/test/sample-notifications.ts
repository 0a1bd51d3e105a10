import type { Notification } from "../src/postern.ts";

const send = {
  id: "0193f0e2-7b1c-7cc3-98c4-dc0c0c07398f",
  status: "sent",
  from: "Acme <hello@acme.io>",
  subject: "Ihre Rechnung für März 📬",
  idempotency_key: "receipt-of-order-1001",
  provider_message_id: "0100019a-7b1c-000000",
  queued_at: "2026-11-17T09:30:00.000Z",
} as const;
const toJane = { send, recipient: "jané@example.com", sequence: 2 };
const suppression = { reason: "hard_bounce", since: "2026-11-01T08:00:00.000Z", send_id: send.id } as const;
const explanation = { cause: "unknown-mailbox", meaning: "No such mailbox.", next_step: "Remove it." } as const;
const reply = { status: "5.1.1", diagnostic: 'smtp; 550 "jané" unknown\r\nline two' };

const common = { timestamp: "2026-11-17T09:30:01.000Z", mode: "live" } as const;

/** One of each type. The text has characters of one to four bytes and escapes, as mail has. */
export const sampleNotifications: Notification[] = [
  { ...common, type: "send.sent", data: { send, sequence: 1 } },
  { ...common, type: "send.delivered", data: { ...toJane, delivery: { smtp_response: "250 OK", duration_ms: 812 } } },
  {
    ...common,
    type: "send.delayed",
    data: { ...toJane, delay: { type: "MailboxFull", ...reply, expires_at: null } },
  },
  {
    ...common,
    type: "send.bounced",
    data: { ...toJane, bounce: { type: "Permanent", subtype: "General", ...reply, explanation, suppressed: true } },
  },
  { ...common, type: "send.complained", data: { ...toJane, complaint: { type: "abuse", suppressed: true } } },
  { ...common, type: "send.suppressed", data: { send, recipient: toJane.recipient, rebuilt: true, suppression } },
  {
    ...common,
    type: "send.failed",
    data: { send: { ...send, status: "failed" }, sequence: 1, failure: { code: "PROVIDER_REFUSED", message: "…" } },
  },
  { ...common, type: "domain.verified", data: { domain: { id: 7, name: "acme.io" } } },
  { ...common, type: "domain.failed", data: { domain: { id: 7, name: "acme.io" } } },
  { ...common, type: "suppression.added", data: { suppression: { ...suppression, email: "jane@example.com" } } },
  { ...common, type: "suppression.removed", data: { suppression: { ...suppression, email: "jane@example.com" } } },
  { ...common, type: "account.held", data: { account: { held_by: "guard", reason: "bounce rate of 11 %" } } },
  { ...common, type: "account.released", data: { account: { held_by: "operator", reason: null } } },
];
