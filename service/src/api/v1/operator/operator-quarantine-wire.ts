import { z } from "zod";
import type { QuarantineEntry } from "../../../feedback/quarantine-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { limitParameter } from "../list-wire.ts";

const entryId = z.int().min(1);

export const quarantineQuery = z.strictObject({
  limit: limitParameter,
  before: z
    .string()
    .regex(/^\d{1,15}$/, { error: "must be an id, such as the `next_before` of the previous response" })
    .transform(Number)
    .optional()
    .describe("Only entries before the entry with this id; use it to continue the list")
    .meta({ example: "17" }),
});

const entryFields = {
  id: entryId.meta({ example: 17 }),
  received_at: wireTimestamp,
  reason: z
    .enum(["unknown-send", "unreadable", "from-the-future"])
    .describe("Why it could not be applied. `unknown-send`: the database has no such send"),
  tries: z.int().meta({ example: 3 }),
  next_try_at: wireTimestamp.nullable().describe("Null when it is no longer retried"),
  length: z.int().describe("Characters of the notification").meta({ example: 2143 }),
};

/** Without the raw notification, which contains addresses: reading it needs a reason. */
export const quarantineEntry = z
  .object(entryFields)
  .meta({ id: "QuarantineEntry", description: "A notification of SES that could not be applied" });

export const quarantineParams = z.object({
  id: z.string().describe("Id from the list").meta({ example: "17" }),
});

export const quarantinedNotification = z
  .object({ ...entryFields, raw: z.string().describe("The notification as it arrived; it contains addresses") })
  .meta({
    id: "QuarantinedNotification",
    description: "A notification of SES that could not be applied, with its text",
  });

export const quarantineList = z
  .object({
    entries: z.array(quarantineEntry).describe("Newest first"),
    next_before: z.int().nullable().describe("Pass it as `before` to continue; null at the end of the list").meta({
      example: null,
    }),
  })
  .describe("One page of the quarantine");

export function toQuarantineEntry(entry: QuarantineEntry): z.infer<typeof quarantineEntry> {
  const { id, receivedAt, reason, tries, nextTryAt, length } = entry;
  return { id, received_at: receivedAt, reason, tries, next_try_at: nextTryAt, length };
}
