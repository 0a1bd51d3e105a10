const delaysSeconds = [5, 30, 120, 600, 1_800];
const laterDelaySeconds = 3_600;
const jitter = 0.2;

interface Patience {
  backoffStep: number;
  retryingSeconds: number | null;
}

/**
 * When to try again, or undefined to give up. The last try falls on the end of the patience. Delays vary by a fifth, so
 * that what failed together does not come back together.
 */
export function nextDelaySeconds(
  { backoffStep, retryingSeconds }: Patience,
  giveUpAfterSeconds: number,
  random: () => number = Math.random,
): number | undefined {
  const left = giveUpAfterSeconds - (retryingSeconds ?? 0);
  if (left <= 0) return undefined;
  const usual = delaysSeconds[backoffStep] ?? laterDelaySeconds;
  return Math.min(usual * (1 - jitter + 2 * jitter * random()), left);
}

/** Throttled mail waits a moment and keeps its patience; the pace has been slowed already. */
export function throttledDelaySeconds(random: () => number = Math.random): number {
  return 1 + 2 * random();
}
