import type { FastifyReply, FastifyRequest } from "fastify";
import { refusedByMove } from "../../accounts/suspension.ts";
import { isOfMovedAccount } from "../../db/sql-state.ts";
import { AppError, type FieldProblem } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { discardBody } from "./discard-body.ts";
import { errorCatalogue } from "./error-catalogue.ts";
import { sendJson } from "./json-body.ts";
import { isSmallBody } from "./large-bodies.ts";

export interface ErrorBody {
  success: false;
  error: {
    code: string;
    message: string;
    details?: FieldProblem[];
    request_id: string;
    doc_url: string;
  };
}

export function errorBody(error: AppError, requestId: string, publicUrl: string): ErrorBody {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
      request_id: requestId,
      doc_url: `${publicUrl}/errors/${error.code}`,
    },
  };
}

/** Maps every thrown value to the published error body. A bug is logged here once; its details never reach the caller. */
export function createErrorHandler(publicUrl: string, log: Log) {
  const mayWarn = createRefusalFilter();
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = toAppError(thrown, request);
    reply.refusal = error;
    if (error.code === "INTERNAL") log.error({ request_id: request.id, err: thrown }, "request.internal-error");
    if (error.code === "UNAVAILABLE" && mayWarn(error)) {
      log.warn({ request_id: request.id, err: error.cause }, "request.unavailable");
    }
    if (error.code === "UNAUTHORIZED") reply.header("www-authenticate", challenge);
    if (error.retryAfterSeconds !== undefined) reply.header("retry-after", error.retryAfterSeconds);
    // Fastify has set the header after an error of the body, and closing destroys the answer that the client has not read.
    if (!isSmallBody(request) && discardBody(request.raw)) reply.removeHeader("connection");
    // Serialised here, because the route's serializer only knows the schema of its successful response.
    reply
      .code(errorCatalogue[error.code].status)
      .type("application/json; charset=utf-8")
      .serializer((body: ErrorBody) => JSON.stringify(body))
      .send(errorBody(error, request.id, publicUrl));
  };
}

const refusalWarningMs = 1_000;

/**
 * A refusal has no cause, and thousands of them can come in a second. A warning is written at once, which took longer than the rest of the
 * refusal; so one of them a second is logged as a warning. Each still has its line of the request.
 */
function createRefusalFilter(): (error: AppError) => boolean {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return ({ cause }) => {
    const now = performance.now();
    if (cause === undefined && now - warnedAt < refusalWarningMs) return false;
    if (cause === undefined) warnedAt = now;
    return true;
  };
}

/** HTTP requires a challenge with every 401. API keys have no registered scheme; the message names their header. */
const challenge = 'Bearer realm="Postern"';

export function unknownPath(): AppError {
  return new AppError("NOT_FOUND", "This path does not exist. GET /openapi.json lists all paths.");
}

const fastifyErrors: Record<string, (request: FastifyRequest) => AppError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new AppError("UNSUPPORTED_MEDIA_TYPE", sendJson),
  FST_ERR_CTP_BODY_TOO_LARGE: (request) => {
    const limit = inBytes(request.routeOptions.bodyLimit);
    return new AppError(
      "PAYLOAD_TOO_LARGE",
      `The body is larger than ${limit}, the limit of this path. Send a smaller body.`,
    );
  },
  FST_ERR_BAD_URL: unknownPath,
  FST_ERR_MAX_PARAM_LENGTH: unknownPath,
};

function inBytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`;
}

function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isOfMovedAccount(thrown)) return refusedByMove(thrown);
  const code = fieldOf(thrown, "code");
  const known = typeof code === "string" ? fastifyErrors[code]?.(request) : undefined;
  if (known !== undefined) return known;
  const status = fieldOf(thrown, "statusCode");
  // Fastify's remaining 4xx errors: a body shorter than its Content-Length, or a connection that closed too early.
  if (typeof status === "number" && status >= 400 && status < 500) {
    return new AppError("BAD_REQUEST", "The server did not receive the whole request. Send it again.");
  }
  return new AppError("INTERNAL", "The server failed because of a bug. Report the request_id to the operator.");
}

function fieldOf(thrown: unknown, name: "code" | "statusCode"): unknown {
  return thrown instanceof Error ? (thrown as Error & Record<string, unknown>)[name] : undefined;
}
