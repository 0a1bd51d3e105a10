import { setTimeout as sleep } from "node:timers/promises";
import type { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";

/**
 * Reading, decoding and storing a mail of 14 MB takes about 0.3 s of a processor, of its turn of 0.9 s. So large mails leave more than half
 * of a processor to others, on machines where nothing else runs in parallel. Measured by the proof `memory`.
 */
const bytesPerMs = 15_000;
const maxWaitMs = 10_000;

interface BodyTurns {
  /** Resolves when a body of this size may be parsed. */
  wait(owner: string, bytes: number): Promise<void>;
}

/**
 * Bodies that arrive together would take the processor from other requests until all are parsed. So one is parsed at a time, and a pause
 * follows in which other requests are answered. Owners take turns.
 */
export function createBodyTurns(limits: { perOwner: number; total: number; refuse: () => AppError }): BodyTurns {
  const slots = createFairSlots({
    perOwner: 1,
    total: 1,
    waitingPerOwner: limits.perOwner,
    waitingTotal: limits.total,
    maxWaitMs,
    refuse: limits.refuse,
  });
  return {
    wait: (owner, bytes) =>
      new Promise((resolve, reject) => {
        const parseAndPause = () => {
          resolve();
          return sleep(bytes / bytesPerMs);
        };
        slots.run(owner, parseAndPause).catch(reject);
      }),
  };
}
