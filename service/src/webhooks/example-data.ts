import { explainBounce } from "../events/reasons/explain-bounce.ts";
import type { NotificationType } from "./notification-types.ts";

const send = {
  id: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f",
  from: "Acme <hello@acme.io>",
  subject: "Your receipt",
  idempotency_key: "receipt-of-order-1001",
  provider_message_id: "0102019a5c21f3e0-7c4b-4d52-8a1b-2c3d4e5f6a7b-000000",
  queued_at: "2026-11-15T09:30:00.000Z",
};
const recipient = "jane@example.com";
const since = "2026-11-15T09:30:04.000Z";
const reason = { type: "Permanent", subtype: "General", status: "5.1.1" } as const;
const diagnostic = "smtp; 550 5.1.1 user unknown";
const { cause, meaning, nextStep } = explainBounce({ ...reason, diagnostic });
const suppressed = { email: recipient, reason: "hard_bounce", since, send_id: send.id };
const heldBecause =
  "130 of 1000 recipients (13.0 %) bounced permanently, and more than 10 % endangers the delivery of all mail. Remove addresses that " +
  "do not exist from your data, then ask the operator of this installation to release the account.";
const domain = { id: 1, name: "mail.acme.io" };

/** The `data` of one notification of each type: the examples of the published document, and what a test notification says. */
export const exampleData: Readonly<Record<NotificationType, object>> = {
  "send.sent": { send: { ...send, status: "sent" }, sequence: 1 },
  "send.delivered": {
    send: { ...send, status: "delivered" },
    recipient,
    sequence: 2,
    delivery: { smtp_response: "250 2.0.0 OK", duration_ms: 1200 },
  },
  "send.delayed": {
    send: { ...send, status: "sent" },
    recipient,
    sequence: 2,
    delay: {
      type: "MailboxFull",
      status: "4.2.2",
      diagnostic: "smtp; 452 4.2.2 mailbox full",
      expires_at: "2026-11-16T09:30:00.000Z",
    },
  },
  "send.bounced": {
    send: { ...send, status: "bounced" },
    recipient,
    sequence: 2,
    bounce: { ...reason, diagnostic, explanation: { cause, meaning, next_step: nextStep }, suppressed: true },
  },
  "send.complained": {
    send: { ...send, status: "complained" },
    recipient,
    sequence: 3,
    complaint: { type: "abuse", suppressed: true },
  },
  "send.suppressed": {
    send: { ...send, status: "suppressed", provider_message_id: null },
    recipient,
    sequence: 1,
    suppression: { reason: "hard_bounce", since, send_id: "0199a0b1-7a2c-7d3e-8f40-1b2c3d4e5f60" },
  },
  "send.failed": {
    send: { ...send, status: "failed", provider_message_id: null },
    sequence: 1,
    failure: { code: "DOMAIN_NOT_VERIFIED", message: "The domain of the sender is not verified." },
  },
  "domain.verified": { domain },
  "domain.failed": { domain },
  "suppression.added": { suppression: suppressed },
  "suppression.removed": { suppression: suppressed },
  "account.held": { account: { held_by: "guard", reason: heldBecause } },
  "account.released": { account: { held_by: "guard", reason: heldBecause } },
};
