import { maxShallowOffset } from "../../db/deep-page.ts";
import { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";

/** Such a read takes one connection for up to a second, so most of the pool stays free for other requests. */
const maxRunning = 2;
const maxWaitingPerAccount = 32;
const maxWaiting = 1_000;
const maxWaitMs = 10_000;

/**
 * Limits the reads of pages far back in a list: one at a time for an account, and two for this process. Others wait, and accounts take
 * turns; with 32 waiting an account gets 503 with Retry-After, and so does a read that has waited for ten seconds.
 */
export function createDeepReads(wait = maxWaitMs) {
  const slots = createFairSlots({
    perOwner: 1,
    total: maxRunning,
    waitingPerOwner: maxWaitingPerAccount,
    waitingTotal: maxWaiting,
    maxWaitMs: wait,
    refuse: tooMany,
  });
  return {
    /** `offset` is the number of entries before the page. */
    run<Result>(accountId: string, offset: number, read: () => Promise<Result>): Promise<Result> {
      return offset <= maxShallowOffset ? read() : slots.run(accountId, read);
    },
  };
}

function tooMany(): AppError {
  const message =
    "Too many requests for pages far back in the list are in progress. Repeat the request later, or continue the list with before.";
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 1 });
}
