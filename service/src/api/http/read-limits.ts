import type { AccountDatabase } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";
import { readWindows, writeWindows } from "./rate-limit-headers.ts";
import { createWindowCounter, type WindowCount } from "./window-counter.ts";

/** Limits what the requests of one account can take from others, in this process. Reads are the GET requests with a credential. */
export interface ReadLimits {
  /** Counts one read of the account against its limits. A refused read is not counted. */
  count(accountId: string): WindowCount;
  /** Counts a change by its cost (route-access.ts). */
  countWrite(accountId: string, cost: number): WindowCount;
  /** The same rows, but a statement waits while too many of the account run. For every request with a credential but POST /send. */
  limit(db: AccountDatabase): AccountDatabase;
}

/** As many as the account may make in a second, so that reads within the rate are not refused for coming at once. */
const maxWaitingPerAccount = 200;
const maxWaiting = 1_000;
const maxWaitMs = 2_000;

/**
 * 1. Rate: fixed windows (window-counter.ts), of reads and of changes of the suppression list.
 * 2. Concurrency: one account uses at most a third of the connections, rounded up, and all accounts four fifths, rounded down, so that
 *    the check of a credential finds a connection (a pool of one has none to spare). Further statements wait for up to two seconds;
 *    then the request gets 429.
 */
export function createReadLimits(poolSize: number, now: () => number = () => performance.now()): ReadLimits {
  const slots = createFairSlots({
    perOwner: Math.ceil(poolSize / 3),
    total: Math.max(1, Math.floor(poolSize * 0.8)),
    waitingPerOwner: maxWaitingPerAccount,
    waitingTotal: maxWaiting,
    maxWaitMs,
    refuse: tooManyAtOnce,
  });

  return {
    count: createWindowCounter(readWindows, now),
    countWrite: createWindowCounter(writeWindows, now),

    limit: (db) => ({
      accountId: db.accountId,
      actor: db.actor,
      query: (statement) => slots.run(db.accountId, () => db.query(statement)),
    }),
  };
}

function tooManyAtOnce(): AppError {
  const message = "Too many requests of this account are in progress. Make fewer requests at the same time.";
  return new AppError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds: 1 });
}
