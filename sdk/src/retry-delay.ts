import type { PosternError } from "./postern-error.ts";

const firstPauseSeconds = 0.25;
const longestPauseSeconds = 8;

interface RetryState {
  /** The number of attempts so far. */
  attempts: number;
  /** False when a retry after an unknown outcome could perform the operation twice. */
  isSafeToRetry: boolean;
  random(): number;
}

/** Seconds to wait before the next attempt; undefined when the call must not retry. */
export function retryDelay(error: PosternError, { attempts, isSafeToRetry, random }: RetryState): number | undefined {
  if (!isRetryable(error, isSafeToRetry)) return undefined;
  const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** (attempts - 1));
  // The wait is never shorter than Retry-After, and the jitter spreads the retries of many callers.
  return error.retryAfter === undefined ? pause * (0.5 + random() / 2) : error.retryAfter + pause * random();
}

function isRetryable({ code, status }: PosternError, isSafeToRetry: boolean): boolean {
  // The service performs nothing when it answers 429. A quota may have no room for hours, or until the operator raises it.
  if (status === 429) return code !== "QUOTA_EXCEEDED";
  if (!isSafeToRetry) return false;
  return status === undefined ? code !== "ABORTED" : status >= 500;
}
