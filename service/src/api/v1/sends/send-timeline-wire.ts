import { z } from "zod";
import { sendStatuses } from "../../../sends/send-store.ts";
import type { Timeline, TimelineEntry } from "../../../sends/send-timeline.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { eventAnswer, toEventAnswer } from "../events/event-wire.ts";

const accepted = z.object({
  type: z.literal("accepted"),
  at: wireTimestamp,
  recipients: z.int().describe("How many were asked for, filtered ones included"),
  suppressed_recipients: z.array(z.string()).describe("Filtered when it was accepted"),
});

const attempt = z.object({
  type: z.literal("attempt"),
  at: wireTimestamp,
  attempt: z.int(),
  ended_at: wireTimestamp.nullable().describe("Null while it is under way"),
  outcome: z
    .enum(["accepted", "refused", "try-later", "unknown", "returned"])
    .nullable()
    .describe("`returned`: the provider was not asked; `detail` says why. Null while it is under way"),
  provider_message_id: z.string().nullable(),
  request_id: z.string().nullable().describe("Of the provider"),
  detail: z.string().nullable(),
});

const submitted = z.object({ type: z.literal("submitted"), at: wireTimestamp, provider_message_id: z.string() });

const happened = z.object({ type: z.literal("event"), at: wireTimestamp, event: eventAnswer });

export const timelineAnswer = z
  .object({
    id: z.uuid(),
    status: z.enum(sendStatuses).describe("As it is now"),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    entries: z
      .array(z.discriminatedUnion("type", [accepted, attempt, submitted, happened]))
      .describe("Oldest first. An attempt is there unless it was the first and the provider took it at once"),
    complete: z.boolean().describe("False when there are more than 500 attempts or events; the newest are shown"),
  })
  .meta({ id: "Timeline", description: "All that is known of a send" });

export function toTimelineAnswer({ send, entries, isComplete }: Timeline): z.input<typeof timelineAnswer> {
  return {
    id: send.id,
    status: send.status,
    error_code: send.errorCode,
    error_message: send.errorMessage,
    entries: entries.map(toEntry),
    complete: isComplete,
  };
}

function toEntry(entry: TimelineEntry): z.input<typeof timelineAnswer>["entries"][number] {
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
    case "event":
      return { type: "event", at, event: toEventAnswer(entry.event) };
  }
}
