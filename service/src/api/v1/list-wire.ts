import { z } from "zod";
import { controlCharacter } from "../../mail-address.ts";
import { invalidRequest } from "../http/field-problems.ts";

/** A number in a query is text; what is none stays as it is, and the schema says so. */
function wholeNumber(schema: z.ZodType<number>) {
  return z.preprocess(
    (text) => (typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text),
    schema,
  );
}

const earliest = Date.UTC(1970, 0);
const latest = Date.UTC(9999, 0);

/** A time by which ids are compared: they begin with theirs. */
const moment = z.iso
  .datetime({ offset: true, abort: true, error: "must be an ISO 8601 time such as 2026-11-15T09:30:00Z" })
  .refine((text) => Date.parse(text) >= earliest && Date.parse(text) < latest, {
    error: "must be a time from 1970 to 9998",
  });

/** Text to look for. What is stored has no control characters, and PostgreSQL does not take every one. */
export const textParameter = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !controlCharacter.test(text), { error: "has a control character; remove it" });

export const modeParameter = z
  .enum(["live", "test"])
  .optional()
  .describe("With a JWT: `test` for test mode. An API key has its own mode");

export const limitParameter = wholeNumber(z.int().min(1).max(100)).default(50).describe("How many at most, 1 to 100");

export const pageParameter = wholeNumber(z.int().min(1)).optional().describe("From 1, which is the default");

export const beforeParameter = z
  .guid({ error: "must be an id, such as the `next_before` of the last answer" })
  .optional()
  .describe("Only what is older in the list than the entry with this id: for reading on, however far");

export const sinceParameter = moment.optional().describe("Not older than this time");
export const untilParameter = moment.optional().describe("Older than this time");

export const pagePagination = z
  .object({
    page: z.int(),
    limit: z.int(),
    total: z.int().describe("How many there are in all, exactly"),
    total_pages: z.int(),
  })
  .meta({ id: "Pagination", description: "Where a page lies in the whole list" });

export const cursorPagination = z
  .object({
    limit: z.int(),
    next_before: z
      .uuid()
      .nullable()
      .describe(
        "Give it as `before` to read on; null at the end. It can be there although fewer than `limit` were found: one " +
          "request looks at 10,000 entries at most",
      ),
  })
  .meta({ id: "Cursor", description: "Where to read on, in answers to requests with `before` or a filter" });

/** Leaving out what comes before a page costs time, so there is a last one. */
const deepest = 100_000;

/** How many entries come before a page. */
export function offsetOf(page: number, limit: number): number {
  if (page * limit <= deepest) return (page - 1) * limit;
  const message =
    `must be at most ${Math.floor(deepest / limit)} with this limit: pages reach the newest ${deepest} entries. ` +
    "Give the id of the last entry you have as before, and read on from there";
  throw invalidRequest([{ field: "page", code: "too_large", message }]);
}

export function pageAnswer(page: number, limit: number, total: number): z.infer<typeof pagePagination> {
  return { page, limit, total, total_pages: Math.ceil(total / limit) };
}

export function cursorAnswer(limit: number, nextBefore: string | undefined): z.infer<typeof cursorPagination> {
  return { limit, next_before: nextBefore ?? null };
}

/** A page has its place from the beginning of the whole list, which a filter or a cursor does not have. */
export function requireNoPage(page: number | undefined): void {
  if (page === undefined) return;
  const message = "goes with limit and type only; with other filters read on with before";
  throw invalidRequest([{ field: "page", code: "contradiction", message }]);
}
