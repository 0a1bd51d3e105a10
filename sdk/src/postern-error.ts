import type { ErrorBody } from "./api-types.ts";

/** Error codes of the service. */
export type ApiErrorCode = ErrorBody["error"]["code"];

/** Error codes of this package, for calls without a valid response of the service. */
export type ClientErrorCode = "CONNECTION_FAILED" | "TIMEOUT" | "ABORTED" | "UNEXPECTED_ANSWER";

export type ErrorCode = ApiErrorCode | ClientErrorCode;

/** One problem with one field of a request. */
export type FieldProblem = NonNullable<ErrorBody["error"]["details"]>[number];

export interface ErrorFacts {
  code: ErrorCode;
  message: string;
  status?: number | undefined;
  details?: FieldProblem[] | undefined;
  requestId: string;
  retryAfter?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

/** The `error` of a result. `orThrow()` and the iterators throw it. */
export class PosternError extends Error {
  override readonly name = "PosternError";
  /** Machine-readable cause. A service newer than this package may send a code that is not in the type. */
  readonly code: ErrorCode;
  /** HTTP status; undefined when no response arrived. */
  readonly status: number | undefined;
  /** All problems of the request, on `VALIDATION_ERROR`; otherwise empty. */
  readonly details: FieldProblem[];
  /** The service writes this id into its log lines for this call. */
  readonly requestId: string;
  /** The seconds of the `Retry-After` header, if the service sent one. */
  readonly retryAfter: number | undefined;
  /** The key of a send or of a batch. A retry of the same mail with this `idempotency_key` creates no second send. */
  readonly idempotencyKey: string | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
    this.idempotencyKey = facts.idempotencyKey;
  }
}
