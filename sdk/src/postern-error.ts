import type { ErrorBody } from "./api-types.ts";

/** What the service says went wrong. */
export type ApiErrorCode = ErrorBody["error"]["code"];

/** What can go wrong without an answer of the service. */
export type ClientErrorCode = "CONNECTION_FAILED" | "TIMEOUT" | "ABORTED" | "UNEXPECTED_ANSWER";

export type ErrorCode = ApiErrorCode | ClientErrorCode;

/** One thing that is wrong with one field of a request. */
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

/** The `error` of a result, and what `orThrow()` and the iterators throw. */
export class PosternError extends Error {
  override readonly name = "PosternError";
  /** What happened, for programs. A service newer than this package may send one that is not in the type. */
  readonly code: ErrorCode;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Every problem of the request, on `VALIDATION_ERROR`; otherwise empty. */
  readonly details: FieldProblem[];
  /** Stands in the service's log lines of this call. */
  readonly requestId: string;
  /** Seconds after which the service wants to be asked again, if it said so. */
  readonly retryAfter: number | undefined;
  /** Of a send: give it as `idempotency_key` to send the same mail again, and it goes out once whatever happened before. */
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
