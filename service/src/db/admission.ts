import { AppError } from "../errors.ts";
import { createRunningClock } from "./running-clock.ts";

export interface Admission {
  /** Throws 503 with Retry-After when the database could not answer a new item in time. */
  requireCapacity(): void;
  /** Requires capacity, counts the items, which belong together, and returns how many are in progress with them. */
  enter(items?: number): number;
  leave(items: number): void;
  /** The error for an item that is refused before it runs, so that its caller can repeat it safely. */
  overloaded(): AppError;
  /** An item that has waited for so long, on the clock of `now`, is refused. */
  maxWaitMs(): number;
  /** Stands still while this process cannot run, and while nothing is in progress. */
  now(): number;
  /** True while a round trip takes so long that the next items must not wait for it. */
  hasStuckRoundTrip(): boolean;
  roundTrip<Result>(run: () => Promise<Result>): Promise<Result>;
  /** An item was answered after this time; so many were in progress when it entered. */
  noteAnswered(tookMs: number, inProgress: number): void;
}

interface AdmissionOptions {
  maxRoundTrips: number;
  /** So many are always admitted, so that round trips can be full. */
  minInProgress: number;
}

interface RoundTrip {
  startedAt: number;
  /** On the clock that stands still while this process cannot run. */
  runningSince: number;
}

const stuckAfterMs = 1_000;
const maxStuckAfterMs = 4_000;
const recentRoundTrips = 9;
/** Of the time after which a round trip is stuck, so that the refusal arrives within it. */
const waitShare = 0.8;
const targetMs = 500;
const firstMsPerItem = 0.25;
/** With fewer items in progress, the time per item says how long a round trip takes, and not how many items fit into a second. */
const minMeasured = 50;
const newestShare = 0.3;
const minRetryAfterSeconds = 1;
const maxRetryAfterSeconds = 10;
/** A refusal costs time as well. So many times the time per item lie between the returns of two refused callers. */
const retrySpread = 2;

/**
 * Refuses an item at once when the database could not answer it in time. An item that never ran can be repeated safely.
 *
 * 1. **Stuck.** A round trip is stuck after 1 s, or after twice the usual time of a database that is slow but healthy. While
 *    `maxRoundTrips` are stuck, new items are refused. One broken connection refuses nothing: the batch starts another round trip.
 * 2. **Unreachable.** After a round trip that failed because the database could not be reached, one round trip at a time tries whether it
 *    is back. Items that arrive meanwhile are refused.
 * 3. **Overloaded.** Items are refused when those in progress take longer than 0.5 s, at the measured time per item. `Retry-After`
 *    grows with the number of refusals, so that refused callers return one after the other and not all at once.
 */
export function createAdmission({ maxRoundTrips, minInProgress }: AdmissionOptions): Admission {
  const clock = createRunningClock();
  const running = new Set<RoundTrip>();
  const durations: number[] = [];
  let stuckMs = stuckAfterMs;
  let inProgress = 0;
  let msPerItem = firstMsPerItem;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isUnreachable = false;
  let nextRetryAt = Number.NEGATIVE_INFINITY;

  function countStuck(): number {
    const latestStart = clock.now() - stuckMs;
    let count = 0;
    for (const { runningSince } of running) if (runningSince <= latestStart) count += 1;
    return count;
  }

  function requireCapacity(): void {
    if ((isUnreachable && running.size > 0) || countStuck() >= maxRoundTrips) throw notAnswering();
    if (inProgress >= Math.max(minInProgress, targetMs / msPerItem)) throw overloaded();
  }

  function overloaded(): AppError {
    const now = performance.now();
    nextRetryAt = Math.max(nextRetryAt, now + minRetryAfterSeconds * 1000) + retrySpread * msPerItem;
    nextRetryAt = Math.min(nextRetryAt, now + maxRetryAfterSeconds * 1000);
    const retryAfterSeconds = Math.ceil((nextRetryAt - now) / 1000);
    const message = "The database is overloaded at the moment. Try again shortly.";
    return new AppError("UNAVAILABLE", message, { retryAfterSeconds });
  }

  function noteDuration(tookMs: number): void {
    durations.push(tookMs);
    if (durations.length <= recentRoundTrips) return;
    durations.shift();
    stuckMs = Math.min(maxStuckAfterMs, Math.max(stuckAfterMs, 2 * medianOf(durations)));
  }

  return {
    requireCapacity,
    overloaded,
    enter(items = 1) {
      requireCapacity();
      inProgress += items;
      clock.start();
      return inProgress;
    },
    leave(items) {
      inProgress -= items;
      if (inProgress === 0) clock.stop();
    },
    maxWaitMs: () => stuckMs * waitShare,
    now: clock.now,
    hasStuckRoundTrip: () => countStuck() > 0,
    async roundTrip(run) {
      const trip = { startedAt: performance.now(), runningSince: clock.now() };
      running.add(trip);
      try {
        const result = await run();
        answeredAt = performance.now();
        isUnreachable = false;
        noteDuration(answeredAt - trip.startedAt);
        return result;
      } catch (error) {
        // If another connection has answered meanwhile, only this one was broken.
        if (isUnavailable(error) && answeredAt < trip.startedAt) isUnreachable = true;
        throw error;
      } finally {
        running.delete(trip);
      }
    },
    noteAnswered(tookMs, inProgressThen) {
      if (inProgressThen < minMeasured || tookMs > 2 * stuckMs) return;
      msPerItem += newestShare * (tookMs / inProgressThen - msPerItem);
    },
  };
}

function medianOf(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "UNAVAILABLE";
}

function notAnswering(): AppError {
  return new AppError("UNAVAILABLE", "The database does not answer at the moment. Try again shortly.", {
    retryAfterSeconds: minRetryAfterSeconds,
  });
}
