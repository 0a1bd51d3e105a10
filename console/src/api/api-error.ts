import type { ErrorBody } from "./api-types.ts";

type Problem = NonNullable<ErrorBody["error"]["details"]>[number];

/** An answer of the API that is no success, or no answer at all (`status` 0). `message` is text for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Problem[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(facts: {
    status: number;
    code: string;
    message: string;
    details?: Problem[] | undefined;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
  }) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /** The message for one field of a form. */
  problemOf(field: string): string | undefined {
    return this.details.find((problem) => problem.field === field)?.message;
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isErrorBody(body) ? body.error : undefined;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError({
    status: response.status,
    code: error?.code ?? "UNAVAILABLE",
    message:
      error?.message ?? `The API answered with status ${response.status} and no explanation. Try again in a minute.`,
    details: error?.details,
    requestId: error?.request_id ?? response.headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** The request got no answer: the network, a proxy, or the deadline. */
export function noAnswer(cause: unknown): ApiError {
  const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
  return new ApiError({
    status: 0,
    code: isLate ? "REQUEST_TIMEOUT" : "UNREACHABLE",
    message: isLate
      ? "The API did not answer in time. Try again."
      : "The API cannot be reached. Check the connection, then try again.",
  });
}

export function sessionEnded(): ApiError {
  return new ApiError({ status: 401, code: "UNAUTHORIZED", message: "Your session has ended. Log in again." });
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "object";
}
