import { z } from "zod";
import type { Accepted } from "../../../accept/accept-send.ts";
import { type SendRecord, sendStatuses } from "../../../sends/send-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { wireMode } from "../list-wire.ts";
import { toWireExtras, wireExtras } from "./wire-extras.ts";

const sendStatus = z.enum(sendStatuses);

export const acceptedResponse = z
  .object({
    id: z.uuid(),
    status: sendStatus.describe("`queued`, or `suppressed` when every recipient is on the suppression list"),
    idempotency_key: z
      .string()
      .describe("The key of the request, or a generated one")
      .meta({ example: "receipt-of-order-1001" }),
    queued_at: wireTimestamp,
    idempotent: z
      .boolean()
      .describe("True when this is the response to an earlier identical request and no new send was created")
      .meta({ example: false }),
    suppressed_recipients: z
      .array(z.string())
      .optional()
      .describe("Present only when at least one recipient was suppressed")
      .meta({ example: ["gone@example.com"] }),
    scheduled_at: wireTimestamp.optional().describe("Present when the request has it"),
    held: z
      .literal(true)
      .optional()
      .describe("Present only when the mail of the account is on hold: the new send waits until the hold ends"),
    held_reason: z.string().optional().describe("Present with `held`: why the mail of the account is on hold"),
  })
  .meta({ id: "AcceptedSend", description: "The stored send" });

export const sendRecord = z
  .object({
    id: z.uuid(),
    status: sendStatus,
    from_address: z.string().meta({ example: "Acme <hello@sandbox.test>" }),
    to_addresses: z
      .array(z.string())
      .describe("`to`, `cc` and `bcc` in this order, including suppressed recipients")
      .meta({ example: ["delivered@sandbox.test"] }),
    subject: z.string().meta({ example: "Your receipt" }),
    queued_at: wireTimestamp,
    sent_at: wireTimestamp.nullable().describe("Null until the provider accepts the send"),
    provider_message_id: z
      .string()
      .nullable()
      .describe("Null until the provider accepts the send")
      .meta({ example: "0100019a5c21f3e7-4b9d526a-000000" }),
    error_code: z.string().nullable().describe("Null unless the send failed").meta({ example: null }),
    error_message: z.string().nullable().describe("What happened; null unless the send failed").meta({ example: null }),
    mode: wireMode,
    ...wireExtras,
    expires_at: wireTimestamp
      .optional()
      .describe("Present when the send expires: Postern does not submit it after this time"),
    scheduled_at: wireTimestamp
      .optional()
      .describe("Present when the send was scheduled. Its status is `queued` until a worker has it after this time"),
  })
  .meta({ id: "SendRecord", description: "A send with its status" });

export function toAcceptedResponse(accepted: Accepted): z.infer<typeof acceptedResponse> {
  return {
    id: accepted.id,
    status: accepted.status,
    idempotency_key: accepted.idempotencyKey,
    queued_at: accepted.queuedAt,
    idempotent: accepted.isRepeat,
    ...(accepted.suppressedRecipients.length > 0 && { suppressed_recipients: accepted.suppressedRecipients }),
    ...(accepted.scheduledAt !== undefined && { scheduled_at: accepted.scheduledAt.toISOString() }),
    ...(accepted.holdReason !== null && { held: true, held_reason: accepted.holdReason }),
  };
}

export function toSendRecord(send: SendRecord): z.input<typeof sendRecord> {
  return {
    id: send.id,
    status: send.status,
    from_address: send.fromAddress,
    to_addresses: send.toAddresses,
    subject: send.subject,
    queued_at: send.queuedAt,
    sent_at: send.sentAt,
    provider_message_id: send.providerMessageId,
    error_code: send.errorCode,
    error_message: send.errorMessage,
    mode: send.mode,
    ...toWireExtras(send),
    ...(send.expiresAt !== null && { expires_at: send.expiresAt }),
    ...(send.scheduledAt !== null && { scheduled_at: send.scheduledAt }),
  };
}
