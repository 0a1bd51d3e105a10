import { z } from "zod";
import { bounceCauses } from "../../../events/reasons/bounce-causes.ts";
import { explainBounce } from "../../../events/reasons/explain-bounce.ts";
import { type EventFilter, eventTypes, type ListedEvent, type SendEvent } from "../../../events/send-event.ts";
import { parseAddress } from "../../../mail-address.ts";
import { suppressionReasons } from "../../../suppression-reason.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  pagePagination,
  pageParameter,
  readingModeParameter,
  sinceParameter,
  textParameter,
  untilParameter,
  wireMode,
} from "../list-wire.ts";
import { toWireExtras, wireExtras } from "../sends/wire-extras.ts";

export const eventQuery = z.strictObject({
  type: z.enum(eventTypes).optional().describe("Events of this type; all types if absent"),
  limit: limitParameter,
  page: pageParameter,
  mode: readingModeParameter,
  before: beforeParameter,
  email_id: z.guid({ error: "must be the id of a send" }).optional().describe("Events of this send"),
  recipient: textParameter.optional().describe("Events of this recipient address, in any spelling"),
  since: sinceParameter,
  until: untilParameter,
});

export const wireExplanation = z
  .object({
    cause: z.enum(bounceCauses),
    meaning: z.string().meta({ example: "The mailbox does not exist." }),
    next_step: z.string().meta({ example: "The address is now suppressed. Correct it in your data." }),
  })
  .meta({ id: "BounceExplanation", description: "Why the mail was not delivered and what to do, in plain words" });

export const eventRecord = z
  .object({
    id: z.uuid(),
    email_id: z.uuid().describe("The `id` of the send"),
    event_type: z.enum(eventTypes),
    event_timestamp: wireTimestamp,
    recipient: z
      .string()
      .describe("As the send spells it; as the provider reported it, if it is not in the send")
      .meta({ example: "Jane@example.com" }),
    mode: wireMode,
    bounce_type: z.enum(["Permanent", "Transient"]).optional().describe("Only on `Bounce`"),
    bounce_subtype: z
      .string()
      .optional()
      .describe("Only on `Bounce`, as the provider reports it")
      .meta({ example: "General" }),
    complaint_type: z
      .string()
      .optional()
      .describe("Only on `Complaint`, and only when the mailbox provider reported it")
      .meta({ example: "abuse" }),
    bounce_status: z
      .string()
      .optional()
      .describe("Only on `Bounce`: the enhanced status code of the receiving server")
      .meta({ example: "5.1.1" }),
    diagnostic: z
      .string()
      .optional()
      .describe("Only on `Bounce`: the words of the receiving server, at most 1,000 characters")
      .meta({ example: "smtp; 550 5.1.1 user unknown" }),
    explanation: wireExplanation.optional().describe("Only on `Bounce`"),
    smtp_response: z
      .string()
      .optional()
      .describe("Only on `Delivery`: the answer of the receiving server")
      .meta({ example: "250 2.0.0 OK" }),
    duration_ms: z
      .int()
      .optional()
      .describe("Only on `Delivery`: milliseconds from the submission to the provider to the delivery"),
    reporting_mta: z
      .string()
      .optional()
      .describe("The mail server that reported the delivery or bounce")
      .meta({ example: "dns; mx.example.com" }),
    suppression_reason: z.enum(suppressionReasons).optional().describe("Only on `Suppression`"),
    suppressed_at: wireTimestamp.optional().describe("Only on `Suppression`: when the address was suppressed"),
    ...wireExtras,
  })
  .meta({ id: "Event", description: "What happened to one recipient of a send" });

export const eventList = z
  .object({
    success: z.literal(true),
    data: z.object({
      events: z.array(eventRecord).describe("Newest first"),
      pagination: z.union([pagePagination, cursorPagination]),
    }),
  })
  .describe("Events of the account");

/** Returns undefined when the caller requests a page of the whole list or of one type. */
export function toEventFilter(query: z.infer<typeof eventQuery>): EventFilter | undefined {
  const { type, before, email_id, recipient, since, until, limit } = query;
  if ([before, email_id, recipient, since, until].every((given) => given === undefined)) return undefined;
  return { type, before, sendId: email_id, recipient: recipient && recipientKeyOf(recipient), since, until, limit };
}

/** A recipient that the provider reported may not be a valid address; it is then compared as lower-case text. */
export function recipientKeyOf(recipient: string): string {
  const address = parseAddress(recipient);
  return "problem" in address ? recipient.toLowerCase() : address.key;
}

export function toEventRecord(event: ListedEvent): z.input<typeof eventRecord> {
  return {
    id: event.id,
    email_id: event.sendId,
    event_type: event.type,
    event_timestamp: event.at,
    recipient: event.recipient,
    mode: event.mode,
    ...typeFields(event),
    ...toWireExtras(event),
  };
}

function typeFields(event: SendEvent) {
  switch (event.type) {
    case "Delivery":
      return present({
        smtp_response: event.reply,
        duration_ms: event.durationMs,
        reporting_mta: event.reportingMta,
      });
    case "Bounce":
      return present({
        bounce_type: event.bounceType,
        bounce_subtype: event.bounceSubtype,
        bounce_status: event.replyStatus,
        diagnostic: event.reply,
        reporting_mta: event.reportingMta,
        explanation: toExplanation(event),
      });
    case "Complaint":
      return present({ complaint_type: event.complaintType });
    case "Suppression":
      return present({ suppression_reason: event.suppressionReason, suppressed_at: event.suppressedAt });
  }
}

/** What an event of type `Bounce` says, in plain words. */
function toExplanation({ bounceType, bounceSubtype, replyStatus, reply }: SendEvent): z.input<typeof wireExplanation> {
  const { cause, meaning, nextStep } = explainBounce({
    type: bounceType ?? "Transient",
    subtype: bounceSubtype ?? "Undetermined",
    status: replyStatus ?? undefined,
    diagnostic: reply ?? undefined,
  });
  return { cause, meaning, next_step: nextStep };
}

type Present<Fields> = { [Field in keyof Fields]?: NonNullable<Fields[Field]> };

function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  // The filter removes all nulls, which the compiler cannot see.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Present<Fields>;
}
