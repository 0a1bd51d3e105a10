import { z } from "zod";
import { sendStatuses } from "../../../sends/send-store.ts";
import { suppressionReasons } from "../../../suppression-reason.ts";
import { exampleData } from "../../../webhooks/example-data.ts";
import type { NotificationType } from "../../../webhooks/notification-types.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { wireExplanation } from "../events/event-wire.ts";
import { wireExtras } from "../sends/wire-extras.ts";

/** What `webhooks/envelope.ts` writes. Receivers must accept new fields. */

const notifiedSend = z
  .object({
    id: z.uuid(),
    status: z.enum(sendStatuses).describe("Of the send when this happened"),
    from: z.string().meta({ example: "Acme <hello@acme.io>" }),
    subject: z.string().meta({ example: "Your receipt" }),
    idempotency_key: z
      .string()
      .describe("The key of the request, or the id of the send when it is not known")
      .meta({ example: "receipt-of-order-1001" }),
    provider_message_id: z.string().nullable().describe("Null until the provider accepts the send"),
    queued_at: wireTimestamp,
    ...wireExtras,
  })
  .meta({ id: "NotifiedSend", description: "The send that a notification is about" });

/** Of every type. */
const marks = {
  test: z.literal(true).optional().describe("Only on an example that `POST /webhooks/{id}/test` sent"),
  rebuilt: z
    .literal(true)
    .optional()
    .describe(
      "Only on a replay whose first body is no longer stored: it is made again from the event, with the same id",
    ),
};

const ofSend = {
  send: notifiedSend,
  sequence: z
    .int()
    .min(1)
    .optional()
    .describe("Which notification of this send it is: ignore a lower one than you have seen. Absent when rebuilt"),
  ...marks,
};

const ofRecipient = {
  ...ofSend,
  recipient: z.string().describe("As the send spells it").meta({ example: "jane@example.com" }),
};

const reply = {
  status: z.string().nullable().describe("The enhanced status code of the receiving server").meta({ example: "5.1.1" }),
  diagnostic: z
    .string()
    .nullable()
    .describe("The words of the receiving server, at most 1,000 characters")
    .meta({ example: "smtp; 550 5.1.1 user unknown" }),
};

const suppressed = z.boolean().describe("Whether the address is on the suppression list because of it");
const reason = z.enum(suppressionReasons).describe("Why the address is on the suppression list");
const since = wireTimestamp.describe("When the address was suppressed");
const causingSend = z.uuid().nullable().describe("The send that caused it; null if it is not known");

const delivery = z.object({
  smtp_response: z.string().nullable().describe("The answer of the receiving server").meta({ example: "250 2.0.0 OK" }),
  duration_ms: z.int().nullable().describe("From the submission to the provider to the delivery"),
});
const delay = z.object({
  type: z.string().describe("As the provider reports it").meta({ example: "MailboxFull" }),
  ...reply,
  expires_at: wireTimestamp.nullable().describe("When the provider stops trying, if it says so"),
});
const bounce = z.object({
  type: z.enum(["Permanent", "Transient"]),
  subtype: z.string().nullable().describe("As the provider reports it").meta({ example: "General" }),
  ...reply,
  explanation: wireExplanation,
  suppressed,
});
const complaint = z.object({
  type: z.string().nullable().describe("Null when the mailbox provider did not report it").meta({ example: "abuse" }),
  suppressed,
});
const suppression = z.object({ reason, since, send_id: causingSend });
const failure = z.object({
  code: z.string().describe("The `error_code` of the send").meta({ example: "PROVIDER_REJECTED" }),
  message: z.string().describe("What happened"),
});
const domain = z.object({ id: z.int(), name: z.string().meta({ example: "mail.acme.io" }) });
const entry = z.object({
  email: z.string().describe("In lower case, with the domain in ASCII").meta({ example: "jane@example.com" }),
  reason,
  since,
  send_id: causingSend,
});
const account = z.object({
  held_by: z.enum(["operator", "guard"]).describe("Who holds or held the mail of the account"),
  reason: z.string().nullish().describe("Why the guard does; absent for the operator"),
});

/** The `data` of each type, and what it means. */
const dataOf = {
  "send.sent": [ofSend, "The provider accepted the mail"],
  "send.delivered": [{ ...ofRecipient, delivery }, "The receiving server accepted the mail for one recipient"],
  "send.delayed": [{ ...ofRecipient, delay }, "The provider cannot deliver to one recipient yet and tries again"],
  "send.bounced": [{ ...ofRecipient, bounce }, "The mail was not delivered to one recipient"],
  "send.complained": [{ ...ofRecipient, complaint }, "One recipient reported the mail as spam"],
  "send.suppressed": [{ ...ofRecipient, suppression }, "The mail does not go to one recipient, who is suppressed"],
  "send.failed": [{ ...ofSend, failure }, "The mail does not go out"],
  "domain.verified": [{ domain, ...marks }, "A domain is verified: the account can send from it"],
  "domain.failed": [{ domain, ...marks }, "A domain is not verified, or no longer"],
  "suppression.added": [{ suppression: entry, ...marks }, "An address is on the suppression list"],
  "suppression.removed": [{ suppression: entry, ...marks }, "An address is no longer on the suppression list"],
  "account.held": [{ account, ...marks }, "The mail of the account is on hold and waits"],
  "account.released": [{ account, ...marks }, "The mail of the account is no longer on hold"],
} as const satisfies Record<NotificationType, readonly [z.ZodRawShape, string]>;

/** The schema of the body for each type. */
export const notificationSchemas: Readonly<Record<NotificationType, z.ZodType>> = {
  "send.sent": schemaOf("send.sent"),
  "send.delivered": schemaOf("send.delivered"),
  "send.delayed": schemaOf("send.delayed"),
  "send.bounced": schemaOf("send.bounced"),
  "send.complained": schemaOf("send.complained"),
  "send.suppressed": schemaOf("send.suppressed"),
  "send.failed": schemaOf("send.failed"),
  "domain.verified": schemaOf("domain.verified"),
  "domain.failed": schemaOf("domain.failed"),
  "suppression.added": schemaOf("suppression.added"),
  "suppression.removed": schemaOf("suppression.removed"),
  "account.held": schemaOf("account.held"),
  "account.released": schemaOf("account.released"),
};

function schemaOf(type: NotificationType): z.ZodType {
  const [data, description] = dataOf[type];
  return z
    .object({
      type: z.literal(type),
      timestamp: wireTimestamp.describe("When it happened"),
      mode: z.enum(["live", "test"]),
      data: z.object(data),
    })
    .meta({ id: schemaName(type), description });
}

/** `send.delivered` is `SendDeliveredNotification`. */
export function schemaName(type: NotificationType): string {
  const words = type.split(".").map((word) => word.replace(/^./, (first) => first.toUpperCase()));
  return `${words.join("")}Notification`;
}

export function exampleNotification(type: NotificationType) {
  return { type, timestamp: "2026-11-15T09:30:05.000Z", mode: "live", data: exampleData[type] };
}
