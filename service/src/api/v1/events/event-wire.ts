import { z } from "zod";
import { type EventFilter, eventTypes, type SendEvent } from "../../../events/event-store.ts";
import { parseAddress } from "../../../mail-address.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  modeParameter,
  pagePagination,
  pageParameter,
  sinceParameter,
  textParameter,
  untilParameter,
} from "../list-wire.ts";

export const eventQuery = z.strictObject({
  type: z.enum(eventTypes).optional(),
  limit: limitParameter,
  page: pageParameter,
  mode: modeParameter,
  before: beforeParameter,
  email_id: z.guid({ error: "must be the id of a send" }).optional().describe("Events of this send"),
  recipient: textParameter.optional().describe("Events of this address"),
  since: sinceParameter,
  until: untilParameter,
});

export const eventAnswer = z
  .object({
    id: z.uuid(),
    email_id: z.uuid().describe("The `id` of the send"),
    event_type: z.enum(eventTypes),
    event_timestamp: wireTimestamp,
    recipient: z.string(),
    bounce_type: z.enum(["Permanent", "Transient"]).optional().describe("Only on `Bounce`"),
    bounce_subtype: z.string().optional().describe("Only on `Bounce`, in the provider's words"),
    complaint_type: z.string().optional().describe("Only on `Complaint`, and only when the mailbox provider told it"),
    suppression_reason: z.enum(["hard_bounce", "complaint"]).optional().describe("Only on `Suppression`"),
    suppressed_at: wireTimestamp.optional().describe("Only on `Suppression`: since when the address was on the list"),
  })
  .meta({ id: "Event", description: "One thing that happened to one recipient of a send" });

export const eventList = z
  .object({
    success: z.literal(true),
    data: z.object({
      events: z.array(eventAnswer).describe("Newest first"),
      pagination: z.union([pagePagination, cursorPagination]),
    }),
  })
  .describe("Events of the account");

/** Undefined when a page of the whole list, or of one type, is asked for. */
export function toEventFilter(query: z.infer<typeof eventQuery>): EventFilter | undefined {
  const { type, before, email_id, recipient, since, until, limit } = query;
  if ([before, email_id, recipient, since, until].every((given) => given === undefined)) return undefined;
  return { type, before, sendId: email_id, recipient: recipient && comparable(recipient), since, until, limit };
}

/** What the provider told as a recipient need not be an address by our rules; it is compared as text then. */
export function comparable(recipient: string): string {
  const address = parseAddress(recipient);
  return "problem" in address ? recipient.toLowerCase() : address.key;
}

export function toEventAnswer(event: SendEvent): z.input<typeof eventAnswer> {
  return {
    id: event.id,
    email_id: event.sendId,
    event_type: event.type,
    event_timestamp: event.at,
    recipient: event.recipient,
    ...fieldsOf(event),
  };
}

function fieldsOf(event: SendEvent) {
  switch (event.type) {
    case "Delivery":
      return {};
    case "Bounce":
      return present({ bounce_type: event.bounceType, bounce_subtype: event.bounceSubtype });
    case "Complaint":
      return present({ complaint_type: event.complaintType });
    case "Suppression":
      return present({ suppression_reason: event.suppressionReason, suppressed_at: event.suppressedAt });
  }
}

type Present<Fields> = { [Field in keyof Fields]?: NonNullable<Fields[Field]> };

function present<Fields extends Record<string, string | null>>(fields: Fields): Present<Fields> {
  // What is left has no null in it.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Present<Fields>;
}
