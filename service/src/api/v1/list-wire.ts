import { z } from "zod";
import { controlCharacter } from "../../mail-address.ts";
import { invalidRequest } from "../http/validation-error.ts";

/** Query parameters are text. Text that is not a number stays unchanged, so that the schema rejects it. */
function numberParameter(schema: z.ZodType<number>) {
  return z.preprocess(
    (text) => (typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
    schema,
  );
}

const earliest = Date.UTC(1970, 0);
const latest = Date.UTC(9999, 0);

/** Ids begin with their time, so this range keeps the time comparable with ids. */
export const timeParameter = z.iso
  .datetime({ offset: true, abort: true, error: "must be an ISO 8601 time such as 2026-11-15T09:30:00Z" })
  .refine((text) => Date.parse(text) >= earliest && Date.parse(text) < latest, {
    error: "must be a time from 1970 to 9998",
  });

/** Search text. Stored text has no control characters, and PostgreSQL rejects NUL. */
export const textParameter = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !controlCharacter.test(text), { error: "contains a control character; remove it" });

const modeParameter = z.enum(["live", "test"]).optional();

export const readingModeParameter = modeParameter.describe(
  "Only entries of this mode. Without it a JWT reads both modes. An API key reads its own mode; another one is 422",
);

export const sendingModeParameter = modeParameter.describe(
  "For a JWT; default `live`. An API key sends in its own mode; another one is 422",
);

/** The mode of an entry in a response. */
export const wireMode = z.enum(["live", "test"]).describe("Mode of the send");

const maxLimit = 100;

export const limitParameter = numberParameter(z.int().min(1).max(maxLimit))
  .default(50)
  .describe("Maximum number of entries, 1 to 100")
  .meta({ "x-default": 50 });

/** The published interface names no maximum for suppressions, so a larger limit is valid and counts as 100. */
export const clampedLimitParameter = numberParameter(z.int().min(1))
  .default(50)
  .transform((limit) => Math.min(limit, maxLimit))
  .describe(
    `Maximum number of entries; more than ${maxLimit} counts as ${maxLimit}, and \`pagination.limit\` shows the limit in use`,
  )
  .meta({ "x-default": 50 });

export const pageParameter = numberParameter(z.int().min(1).max(1_000_000_000))
  .optional()
  .describe("Page number")
  .meta({ "x-default": 1 });

export const beforeParameter = z
  .guid({ error: "must be an id, such as the `next_before` of the previous response" })
  .optional()
  .describe("Only entries that follow the entry with this id; use it to continue the list");

export const sinceParameter = timeParameter.optional().describe("Only entries from this time on");
export const untilParameter = timeParameter.optional().describe("Only entries before this time");

export const pagePagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    total: z.int().describe("Exact number of entries in the list"),
    total_pages: z.int(),
  })
  .meta({ id: "Pagination", description: "Position of a page in the list" });

export const cursorPagination = z
  .object({
    limit: z.int(),
    next_before: z
      .uuid()
      .nullable()
      .describe(
        "Pass it as `before` to continue; null at the end of the list. It can be present with fewer than `limit` entries, " +
          "because one request searches at most 10,000 entries",
      ),
  })
  .meta({ id: "Cursor", description: "How to continue the list; present when the request has `before` or a filter" });

/** Returns the number of entries before a page. */
export function offsetOf(page: number, limit: number): number {
  return (page - 1) * limit;
}

export function toPagePagination(page: number, limit: number, total: number): z.infer<typeof pagePagination> {
  return { page, limit, total, total_pages: Math.ceil(total / limit) };
}

export function toCursorPagination(limit: number, nextBefore: string | undefined): z.infer<typeof cursorPagination> {
  return { limit, next_before: nextBefore ?? null };
}

/** Page numbers count from the start of the whole list, so they cannot be combined with a filter or a cursor. */
export function requireNoPage(page: number | undefined): void {
  if (page === undefined) return;
  const message = "works only with limit and type; with other filters, continue with before";
  throw invalidRequest([{ field: "page", code: "contradiction", message }]);
}
