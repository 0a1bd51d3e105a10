import { z } from "zod";
import { errorCodes } from "../../../errors.ts";
import type { ListedRequest, RequestFilter } from "../../../request-log/list-requests.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  readingModeParameter,
  sinceParameter,
  textParameter,
  untilParameter,
} from "../list-wire.ts";

export const requestQuery = z.strictObject({
  limit: limitParameter,
  before: beforeParameter,
  request_id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,128}$/, { error: "must be an id as the header X-Request-Id has it" })
    .optional()
    .describe("Only the request with this id: `request_id` of an error, or the `X-Request-Id` of a response"),
  status: z
    .string()
    .regex(/^([2-5]xx|[2-5]\d\d)$/, { error: "must be a status such as 422, or a class such as 4xx" })
    .optional()
    .describe("Only requests that got this status, such as `422`, or one of this class, such as `4xx`"),
  error_code: z.enum(errorCodes).optional().describe("Only requests that were refused with this code"),
  api_key_id: z.guid({ error: "must be the id of an API key" }).optional().describe("Only requests of this API key"),
  method: z.enum(["GET", "POST", "PATCH", "DELETE", "HEAD"]).optional().describe("Only requests with this method"),
  route: textParameter
    .optional()
    .describe("Only requests of this route, as the document names it")
    .meta({ example: "/api/v1/send/:id/status" }),
  since: sinceParameter,
  until: untilParameter,
  mode: readingModeParameter,
});

const loggedRequest = z
  .object({
    id: z.uuid().describe("Id of the entry"),
    at: wireTimestamp.describe("When the response was sent"),
    request_id: z.string().describe("The `X-Request-Id` of the response"),
    method: z.string().meta({ example: "POST" }),
    route: z
      .string()
      .describe("Pattern of the path, without ids and query")
      .meta({ example: "/api/v1/send/:id/status" }),
    status: z.int().meta({ example: 422 }),
    error_code: z.enum(errorCodes).nullable().describe("Null when the request was accepted"),
    details: z
      .array(
        z.object({
          field: z
            .string()
            .describe("Name of the field; `…` stands for a name that the request chose itself")
            .meta({ example: "to[0]" }),
          code: z.string().describe("Machine-readable cause").meta({ example: "wrong_format" }),
          message: z
            .string()
            .nullable()
            .describe("What to change; null where the message would repeat a value of the request"),
        }),
      )
      .describe("The first problems of the fields of the request, at most 10"),
    mode: z.enum(["live", "test"]).describe("Mode of the key; `live` for a user"),
    api_key: z
      .object({ id: z.uuid(), name: z.string().nullable(), key_prefix: z.string().nullable() })
      .nullable()
      .describe("Null for a request of a user"),
    user_id: z.uuid().nullable().describe("Null for a request of an API key"),
    address: z.string().nullable().describe("IP address of the client"),
  })
  .meta({ id: "LoggedRequest", description: "A request of the account, without any content of it" });

export const requestList = z
  .object({
    success: z.literal(true),
    data: z.object({
      requests: z.array(loggedRequest).describe("Newest first"),
      pagination: cursorPagination,
    }),
  })
  .describe("Entries of the request log");

export function toRequestFilter(query: z.infer<typeof requestQuery>): RequestFilter {
  const { limit, before, request_id, status, error_code, api_key_id, method, route, since, until } = query;
  return {
    limit,
    before,
    since,
    until,
    method,
    route,
    requestId: request_id,
    errorCode: error_code,
    apiKeyId: api_key_id,
    statuses: status === undefined ? undefined : { from: boundOf(status, "0"), to: boundOf(status, "9") },
  };
}

/** `4xx` is from 400 to 499. */
function boundOf(status: string, digit: "0" | "9"): number {
  return Number(status.replaceAll("x", digit));
}

export function toLoggedRequest(request: ListedRequest): z.infer<typeof loggedRequest> {
  const { id, at, method, route, status, mode, address, apiKeyId } = request;
  return {
    id,
    at,
    request_id: request.requestId,
    method,
    route,
    status,
    error_code: request.errorCode,
    details: (request.problems ?? []).map(({ field, code, message }) => ({ field, code, message: message ?? null })),
    mode,
    api_key: apiKeyId === null ? null : { id: apiKeyId, name: request.keyName, key_prefix: request.keyPrefix },
    user_id: request.userId,
    address,
  };
}
