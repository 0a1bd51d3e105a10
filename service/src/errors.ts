/** Every error code of the API. `api/http/error-catalogue.ts` maps each to an HTTP status. */
export const errorCodes = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "DOMAIN_NOT_VERIFIED",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "CONFLICT",
  "CONTENT_NOT_KEPT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_ERROR",
  "BATCH_REFUSED",
  "RATE_LIMIT_EXCEEDED",
  "QUOTA_EXCEEDED",
  "HEADERS_TOO_LARGE",
  "INTERNAL",
  "UNAVAILABLE",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** Every code of an entry in `details`, with its meaning. */
export const fieldProblemCodes = {
  required: "The field is missing.",
  empty: "The field must not be empty.",
  wrong_type: "The field has another JSON type than the interface defines.",
  wrong_format: "The text does not have the required form.",
  unknown_value: "The value is not one of the allowed values.",
  too_small: "The number is too small, or the list or text too short.",
  too_large: "The number is too large, or the list or text too long.",
  invalid: "The value breaks another rule; `message` names it.",
  unknown_field: "The interface does not define this field. `message` suggests a similar name if there is one.",
  contradiction: "The value contradicts another value of the request.",
  differs: "The value differs from that of the send that first used this idempotency key (only with CONFLICT).",
  in_the_past: "The time must be in the future.",
  not_json: "The body is not valid JSON.",
  not_utf8: "The body is not valid UTF-8.",
  not_storable: "The body contains a NUL or a lone surrogate. Remove it.",
  too_deep: "The body is nested too deeply.",
  too_many_values: "The body has too many values.",
} as const;

export interface FieldProblem {
  field: string;
  code: keyof typeof fieldProblemCodes;
  message: string;
}

interface AppErrorExtras {
  details?: FieldProblem[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that the caller can act on. `message` is public and says what to do next. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, extras: AppErrorExtras = {}) {
    super(message, extras.cause === undefined ? {} : { cause: extras.cause });
    this.code = code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}

/** A configuration problem that prevents the start. The process exits with code 78 (EX_CONFIG). */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
