import { z } from "zod";
import { sendStatuses } from "../../../sends/send-store.ts";
import type { Timeline, TimelineEntry } from "../../../sends/send-timeline.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { eventRecord, toEventRecord } from "../events/event-wire.ts";
import { wireMode } from "../list-wire.ts";
import { toWireExtras, wireExtras } from "./wire-extras.ts";

const accepted = z.object({
  type: z.literal("accepted"),
  at: wireTimestamp,
  recipients: z.int().describe("Number of recipients in the request, including suppressed ones"),
  suppressed_recipients: z.array(z.string()).describe("Recipients that were suppressed at acceptance"),
});

const attempt = z.object({
  type: z.literal("attempt"),
  at: wireTimestamp,
  attempt: z.int(),
  ended_at: wireTimestamp.nullable().describe("Null while the attempt is in progress"),
  outcome: z
    .enum(["accepted", "refused", "try-later", "unknown", "returned"])
    .nullable()
    .describe(
      "`returned` means that the worker did not call the provider; `detail` says why. Null while the attempt is in progress",
    ),
  provider_message_id: z.string().nullable(),
  request_id: z.string().nullable().describe("Request id of the provider"),
  detail: z.string().nullable(),
});

const submitted = z.object({ type: z.literal("submitted"), at: wireTimestamp, provider_message_id: z.string() });

const delayed = z
  .object({
    type: z.literal("delayed"),
    at: wireTimestamp,
    recipient: z.string(),
    delay_type: z.string().describe("As the provider reports it").meta({ example: "TransientCommunicationFailure" }),
    status: z
      .string()
      .nullable()
      .describe("The enhanced status code of the receiving server")
      .meta({ example: "4.4.1" }),
    diagnostic: z.string().nullable().describe("The words of the receiving server"),
    retried_until: wireTimestamp.nullable().describe("When the provider stops retrying, if it said so"),
  })
  .describe("The provider could not deliver to this recipient yet and retries");

const event = z.object({ type: z.literal("event"), at: wireTimestamp, event: eventRecord });

export const timelineResponse = z
  .object({
    id: z.uuid(),
    status: z.enum(sendStatuses).describe("Current status"),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    mode: wireMode,
    ...wireExtras,
    entries: z
      .array(z.discriminatedUnion("type", [accepted, attempt, submitted, delayed, event]))
      .describe("Oldest first. A first attempt that the provider accepted has no entry of type `attempt`"),
    complete: z
      .boolean()
      .describe(
        "False when the send has more than 500 attempts, delays or events; the entries then contain the newest 500",
      ),
  })
  .meta({ id: "Timeline", description: "The history of a send" });

export function toTimelineResponse({ send, entries, isComplete }: Timeline): z.input<typeof timelineResponse> {
  return {
    id: send.id,
    status: send.status,
    error_code: send.errorCode,
    error_message: send.errorMessage,
    mode: send.mode,
    ...toWireExtras(send),
    entries: entries.map(toEntry),
    complete: isComplete,
  };
}

function toEntry(entry: TimelineEntry): z.input<typeof timelineResponse>["entries"][number] {
  const { at } = entry;
  switch (entry.type) {
    case "accepted":
      return { type: "accepted", at, recipients: entry.recipients, suppressed_recipients: entry.suppressedRecipients };
    case "attempt":
      return {
        type: "attempt",
        at,
        attempt: entry.attempt,
        ended_at: entry.endedAt,
        outcome: entry.outcome,
        provider_message_id: entry.providerMessageId,
        request_id: entry.requestId,
        detail: entry.detail,
      };
    case "submitted":
      return { type: "submitted", at, provider_message_id: entry.providerMessageId };
    case "delayed":
      return {
        type: "delayed",
        at,
        recipient: entry.recipient,
        delay_type: entry.delayType,
        status: entry.replyStatus,
        diagnostic: entry.reply,
        retried_until: entry.expiresAt,
      };
    case "event":
      return { type: "event", at, event: toEventRecord(entry.event) };
  }
}
