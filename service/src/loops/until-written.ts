import { setTimeout as sleep } from "node:timers/promises";

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

interface RetryOptions {
  /** Called for the first failure, and then for every 60th one. */
  onFailure: (error: unknown, tries: number) => void;
  maxTries?: number;
  pauseMs?: number;
}

/**
 * Retries on any error for about four hours, longer than most outages: no other process knows the result of the attempt, and losing
 * the answer "accepted" could send the mail twice. Then it gives up, so that a bug does not occupy a slot forever; the lease has
 * expired long before, so the send is in doubt.
 */
export async function untilWritten(work: () => Promise<void>, options: RetryOptions): Promise<void> {
  const { onFailure, maxTries = 1_000, pauseMs = firstPauseMs } = options;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 1 || tries % 60 === 0) onFailure(error, tries);
      if (tries === maxTries) throw error;
      await sleep(Math.min(pauseMs * tries, longestPauseMs));
    }
  }
}
