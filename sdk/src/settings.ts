/** Options for all calls of a client or for one call. */
export interface CallOptions {
  /** For each attempt, from the connection to the last byte of the response. Default: 10. */
  timeoutSeconds?: number | undefined;
  /** Attempts after the first. Default: 3; 0 disables retries. */
  retries?: number | undefined;
  /** The longest wait between two attempts. A longer `Retry-After` ends the call immediately. Default: 60. */
  maxWaitSeconds?: number | undefined;
  /** Ends the call, even while it waits between attempts. Limit all attempts together with `AbortSignal.timeout(…)`. */
  signal?: AbortSignal | undefined;
}

/** For calls that support both modes with a JWT. An API key determines its own mode. */
export interface ModeOptions extends CallOptions {
  mode?: "live" | "test" | undefined;
}

/** For a batch of mails. */
export interface BatchOptions extends ModeOptions {
  /** A mail without an `idempotency_key` gets this key, a slash and its index. Default: a random one. */
  idempotencyKey?: string | undefined;
}

export interface Settings {
  timeoutSeconds: number;
  retries: number;
  maxWaitSeconds: number;
  signal: AbortSignal | undefined;
}

/** A timer fires immediately when its delay exceeds 24.8 days, so the limit is one day. */
const maxSeconds = 86_400;

export function resolveSettings({
  timeoutSeconds = 10,
  retries = 3,
  maxWaitSeconds = 60,
  signal,
}: CallOptions): Settings {
  requireWithin("timeoutSeconds", timeoutSeconds, 0.001, maxSeconds);
  requireWithin("retries", retries, 0, Number.POSITIVE_INFINITY);
  requireWithin("maxWaitSeconds", maxWaitSeconds, 0, maxSeconds);
  return { timeoutSeconds, retries, maxWaitSeconds, signal };
}

function requireWithin(name: string, value: number, min: number, max: number): void {
  if (value >= min && value <= max) return;
  throw new RangeError(`${name} must be a number from ${min} to ${max}, not ${value}`);
}
