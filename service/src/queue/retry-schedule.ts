const delaysSeconds = [5, 30, 120, 600, 1_800];
const laterDelaySeconds = 3_600;
const jitter = 0.2;

interface RetryState {
  backoffStep: number;
  retryingSeconds: number | null;
}

/**
 * The delay until the next try, or undefined to give up. The last try is at the end of the retry window. Delays vary by a fifth, so
 * that sends that failed together are not retried together.
 */
export function nextDelaySeconds(
  { backoffStep, retryingSeconds }: RetryState,
  giveUpAfterSeconds: number,
  random: () => number = Math.random,
): number | undefined {
  const left = giveUpAfterSeconds - (retryingSeconds ?? 0);
  if (left <= 0) return undefined;
  const usual = delaysSeconds[backoffStep] ?? laterDelaySeconds;
  return Math.min(usual * (1 - jitter + 2 * jitter * random()), left);
}

/** A throttled send waits one to three seconds and uses nothing of its retry window; the pace is slowed already. */
export function throttledDelaySeconds(random: () => number = Math.random): number {
  return 1 + 2 * random();
}
