import { z } from "zod";
import type { Suppression } from "../../../suppressions/suppression-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  modeParameter,
  pagePagination,
  pageParameter,
} from "../list-wire.ts";

export const suppressionQuery = z.strictObject({
  page: pageParameter,
  limit: limitParameter,
  mode: modeParameter,
  before: beforeParameter,
});

export const removalQuery = z.strictObject({ mode: modeParameter });

export const suppressionEntry = z
  .object({
    id: z.uuid(),
    email: z.string().describe("In lower case, with the domain in ASCII"),
    reason: z.enum(["hard_bounce", "complaint"]),
    suppressed_at: wireTimestamp,
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
  .object({ success: z.literal(true), message: z.string() })
  .describe("The address is no longer suppressed");

export function toSuppressionEntry(suppression: Suppression): z.input<typeof suppressionEntry> {
  const { id, email, reason, suppressedAt } = suppression;
  return { id, email, reason, suppressed_at: suppressedAt };
}
