import type { SesErrorName } from "../ses/ses-error.ts";

/** A failure of one request, which a rule injects. */
export type Fault =
  | { kind: "reset-before-accept" }
  | { kind: "accept-then-reset" }
  | { kind: "hang" }
  | { kind: "accept-then-hang" }
  | { kind: "slow-body"; seconds: number }
  | { kind: "http-error"; status: 500 | 502 | 503 | 504; errorType: boolean; accepted: boolean }
  | { kind: "error"; name: SesErrorName; message: string }
  /** A policy denies `ses:SendEmail` on the identity of the sender. */
  | { kind: "access-denied" }
  | { kind: "daily-quota"; form: "throttling" | "limit-exceeded" }
  | { kind: "garbage"; accepted: boolean }
  | { kind: "empty-object"; accepted: boolean }
  | { kind: "clock-skew" }
  | { kind: "wrong-md5" }
  | { kind: "duplicate-receive" }
  | { kind: "partial-failure" };
