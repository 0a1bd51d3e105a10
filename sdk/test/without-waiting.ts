import type { Timing } from "../src/request.ts";

/** Waits end immediately, and `waits` records their seconds. `random` is the jitter, from 0 to 1. */
export function withoutWaiting(random = 0.5): Timing & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    wait: async (seconds) => void waits.push(seconds),
    random: () => random,
    now: () => 0,
  };
}
