import type { ErrorCode } from "../errors.ts";
import type { Mode } from "../mode.ts";

/** Whose request it is, as far as the credential proved it. A refused key or login of a known account counts as well. */
export interface LoggedCaller {
  accountId: string;
  /** Of the key. A user counts as live. */
  mode: Mode;
  apiKeyId?: string | undefined;
  userId?: string | undefined;
}

/** A field of the payload that was refused. The log has no other part of a payload. */
export interface LoggedProblem {
  field: string;
  code: string;
  /** Undefined where the message can repeat what the caller sent. */
  message?: string | undefined;
}

export interface LoggedRequest {
  caller: LoggedCaller;
  method: string;
  /** The pattern, such as /api/v1/send/:id/status. */
  route: string;
  status: number;
  /** Undefined for an accepted request. */
  errorCode: ErrorCode | undefined;
  problems: LoggedProblem[];
  /** An IP address. */
  address: string | null;
  requestId: string;
}
