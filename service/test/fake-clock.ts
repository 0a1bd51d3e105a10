import { vi } from "vitest";

/**
 * From now on `performance.now()` changes only by `vi.advanceTimersByTime`, until `vi.useRealTimers`. It continues from the real time: a clock
 * that goes back would stop what already measures with it, such as the rate limit of connections.
 */
export function stopClock(): void {
  const now = Math.ceil(performance.now());
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(now);
}
