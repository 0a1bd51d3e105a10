/** The wait before each attempt, from the end of the one before it. Together they are about three days. */
const stepsSeconds = [
  0,
  5,
  60,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
] as const;

export const maxAttempts = stepsSeconds.length;
const jitter = 0.2;
const soonSeconds = 60;

/**
 * The wait after this attempt, or undefined after the last one. It varies by a fifth, so that deliveries that failed together are not
 * retried together. A `Retry-After` between the step and twice the step replaces it.
 */
export function nextAttemptSeconds(
  attempt: number,
  retryAfterSeconds?: number,
  random: () => number = Math.random,
): number | undefined {
  const step = stepsSeconds[attempt];
  if (step === undefined) return undefined;
  if (retryAfterSeconds !== undefined && retryAfterSeconds >= step && retryAfterSeconds <= 2 * step)
    return retryAfterSeconds;
  return step * (1 - jitter + 2 * jitter * random());
}

/** The wait when the endpoint is not the cause, because a worker crashed or made no request: a minute at most, not hours. */
export function soonerAttemptSeconds(attempt: number, random?: () => number): number | undefined {
  const usual = nextAttemptSeconds(attempt, undefined, random);
  return usual === undefined ? undefined : Math.min(usual, soonSeconds);
}
