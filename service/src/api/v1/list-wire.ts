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
const timeParameter = z.iso
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

export const modeParameter = z
  .enum(["live", "test"])
  .optional()
  .describe("For a JWT only; default `live`. An API key always uses its own mode");

export const limitParameter = numberParameter(z.int().min(1).max(100))
  .default(50)
  .describe("Maximum number of entries, 1 to 100");

export const pageParameter = numberParameter(z.int().min(1)).optional().describe("Page number; default 1");

export const beforeParameter = z
  .guid({ error: "must be an id, such as the `next_before` of the previous response" })
  .optional()
  .describe("Only entries that follow the entry with this id; use it to continue the list without a depth limit");

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

/** PostgreSQL reads every entry before a page, so the depth of a page is limited. */
const maxPageDepth = 100_000;

/** Returns the number of entries before a page. */
export function offsetOf(page: number, limit: number): number {
  if (page * limit <= maxPageDepth) return (page - 1) * limit;
  const message =
    `must be at most ${Math.floor(maxPageDepth / limit)} with this limit, because pages cover the newest ${maxPageDepth} ` +
    "entries. To continue, pass the id of the last entry as before";
  throw invalidRequest([{ field: "page", code: "too_large", message }]);
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
