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
        .describe(
          "Every problem of the request; present on VALIDATION_ERROR, on CONFLICT from POST /api/v1/send, and on UNAUTHORIZED for a missing or wrong code",
        ),
      request_id: z.string().describe("Same value as the header X-Request-Id"),
      doc_url: z.url().describe("Page that explains this code"),
    }),
  })
  .meta({ id: "Error", description: "Body of every error response" });

type ErrorStatus = 400 | 401 | 404 | 409 | 410 | 413 | 415 | 422 | 429 | 431;

/** Documents the error responses of a route. Every route can return 500 and 503. */
export function errorResponses(...statuses: ErrorStatus[]) {
  const entries = [...statuses, 500, 503].map((status) => {
    const codes = errorCodes.filter((code) => errorCatalogue[code].status === status && code !== "BATCH_REFUSED");
    const description = codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join(" ");
    return [status, { description, content: { "application/json": { schema: wireError } } }];
  });
  return Object.fromEntries(entries) as Record<string, { description: string; content: Record<string, unknown> }>;
}

/** The path parameter `id` of a send or an API key. Any other text is 404 like an unknown id. */
export const uuidParams = z.object({
  id: z
    .string()
    .describe("Id from an earlier response")
    .meta({ format: "uuid", example: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f" }),
});

export const needsJwt = [{ jwt: [] }];
// The first one counts when a request has both (auth/route-access.ts).
export const needsKeyOrJwt = [{ apiKey: [] }, { jwt: [] }];
export const needsJwtOrKey = [{ jwt: [] }, { apiKey: [] }];
