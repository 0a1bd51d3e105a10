import { z } from "zod";
import { errorCodes } from "../../errors.ts";
import { errorCatalogue } from "./error-catalogue.ts";

/** A time in a response: ISO 8601 in UTC. */
export const wireTimestamp = z.iso.datetime().meta({ example: "2026-11-15T09:30:00.000Z" });

export const fieldProblem = z.object({
  field: z.string().describe("Name of the field, or `body` for the whole body"),
  code: z.string().describe("Machine-readable cause"),
  message: z.string().describe("What to change"),
});

export const wireError = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string().describe("What happened and what to do next"),
      details: z
        .array(fieldProblem)
        .optional()
        .describe("Every problem of the request; present on VALIDATION_ERROR, and on CONFLICT from POST /api/v1/send"),
      request_id: z.string().describe("Same value as the header X-Request-Id"),
      doc_url: z.url().describe("Page that explains this code"),
    }),
  })
  .meta({ id: "Error", description: "Body of every error response" });

type ErrorStatus = 400 | 401 | 404 | 409 | 413 | 415 | 422 | 429 | 431;

/** Documents the error responses of a route. Every route can return 500 and 503. */
export function errorResponses(...statuses: ErrorStatus[]) {
  const entries = [...statuses, 500, 503].map((status) => {
    const codes = errorCodes.filter((code) => errorCatalogue[code].status === status);
    return [status, { description: codes.join(", "), content: { "application/json": { schema: wireError } } }];
  });
  return Object.fromEntries(entries) as Record<string, { description: string; content: Record<string, unknown> }>;
}

export const needsJwt = [{ jwt: [] }];
export const needsKeyOrJwt = [{ apiKey: [] }, { jwt: [] }];
