import { setTimeout as sleep } from "node:timers/promises";

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

interface Patience {
  /** Says so when it cannot be written, the first time and then seldom. */
  onFailure: (error: unknown, tries: number) => void;
  maxTries?: number;
  pauseMs?: number;
}

/**
 * Tries again, whatever goes wrong, and longer than any outage that is worth waiting for: what an attempt has learnt is known
 * to nobody else, and forgetting that a mail was accepted would send it twice. It gives up after some hours, so that a bug
 * does not keep a slot for ever; the send is in doubt then.
 */
export async function untilWritten(work: () => Promise<void>, patience: Patience): Promise<void> {
  const { onFailure, maxTries = 1_000, pauseMs = firstPauseMs } = patience;
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
