/** Every error code of the API. `api/http/error-catalogue.ts` maps each to an HTTP status. */
export const errorCodes = [
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "DOMAIN_NOT_VERIFIED",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_ERROR",
  "RATE_LIMIT_EXCEEDED",
  "HEADERS_TOO_LARGE",
  "INTERNAL",
  "UNAVAILABLE",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface FieldProblem {
  field: string;
  code: string;
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
