/** What can be set for all calls and for one. */
export interface CallOptions {
  /** For each attempt, from the connection to the last byte of the answer. 10 unless given. */
  timeoutSeconds?: number | undefined;
  /** Attempts after the first. 3 unless given; 0 switches repeating off. */
  retries?: number | undefined;
  /** The longest wait between two attempts; a longer `Retry-After` ends the call at once. 60 unless given. */
  maxWaitSeconds?: number | undefined;
  /** Ends the call, also while it waits. For a limit over all attempts: `AbortSignal.timeout(…)`. */
  signal?: AbortSignal | undefined;
}

/** For calls that a JWT makes in test mode too. An API key has its own mode. */
export interface ModeOptions extends CallOptions {
  mode?: "live" | "test" | undefined;
}

export interface Settings {
  timeoutSeconds: number;
  retries: number;
  maxWaitSeconds: number;
  signal: AbortSignal | undefined;
}

/** Timers wait for 24.8 days at most and fire at once when told to wait longer. */
const longestSeconds = 86_400;

export function settingsOf({ timeoutSeconds = 10, retries = 3, maxWaitSeconds = 60, signal }: CallOptions): Settings {
  requireWithin("timeoutSeconds", timeoutSeconds, 0.001, longestSeconds);
  requireWithin("retries", retries, 0, Number.POSITIVE_INFINITY);
  requireWithin("maxWaitSeconds", maxWaitSeconds, 0, longestSeconds);
  return { timeoutSeconds, retries, maxWaitSeconds, signal };
}

function requireWithin(name: string, value: number, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new RangeError(`${name} must be a number from ${least} to ${most}, not ${value}`);
}
