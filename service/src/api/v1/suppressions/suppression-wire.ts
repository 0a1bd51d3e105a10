import { z } from "zod";
import type { Suppression } from "../../../suppressions/suppression-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  clampedLimitParameter,
  cursorPagination,
  pagePagination,
  pageParameter,
  readingModeParameter,
  wireMode,
} from "../list-wire.ts";

export const suppressionQuery = z.strictObject({
  page: pageParameter,
  limit: clampedLimitParameter,
  mode: readingModeParameter,
  before: beforeParameter,
});

export const removalQuery = z.strictObject({
  mode: z.enum(["live", "test"]).optional().describe("Removes the entry of this mode only. Without it, of both modes"),
});

export const suppressionEntry = z
  .object({
    id: z.uuid(),
    email: z.string().describe("In lower case, with the domain in ASCII").meta({ example: "gone@example.com" }),
    reason: z.enum(["hard_bounce", "complaint"]),
    suppressed_at: wireTimestamp,
    email_id: z.uuid().nullable().describe("The `id` of the send that caused it; null if it is not known"),
    mode: wireMode.describe("Mode of the sends that are filtered"),
  })
  .meta({ id: "Suppression", description: "An address that the account does not send to" });

export const suppressionList = z
  .object({
    success: z.literal(true),
    data: z.array(suppressionEntry).describe("Newest first"),
    pagination: z.union([pagePagination, cursorPagination]),
  })
  .describe("Suppressed addresses of the account");

export const removedSuppressionResponse = z
  .object({
    success: z.literal(true),
    message: z.string().meta({
      example: "gone@example.com was removed from the suppression list. Later sends to it are no longer filtered.",
    }),
  })
  .describe("The address is no longer suppressed");

export function toSuppressionEntry(suppression: Suppression): z.input<typeof suppressionEntry> {
  const { id, email, reason, suppressedAt, sendId, mode } = suppression;
  return { id, email, reason, suppressed_at: suppressedAt, email_id: sendId, mode };
}
