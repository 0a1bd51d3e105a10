import { setTimeout as sleep } from "node:timers/promises";
import type { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";

/**
 * Parsing and refusing a body of 8 MiB takes about 30 ms of its turn of 168 ms; parsing and preparing the largest valid mail, 4 MiB,
 * takes about 45 of 84 ms. So large bodies take about half of the time of the process, and less when they are invalid.
 */
const bytesPerMs = 50_000;
const maxWaitMs = 10_000;

interface BodyTurns {
  /** Resolves when a body of this size may be parsed. */
  wait(owner: string, bytes: number): Promise<void>;
}

/**
 * Parsing a large body blocks the process, and bodies that arrive together would block it until all are parsed. So one is parsed at a
 * time, and a pause follows in which other requests are answered. Owners take turns.
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
