import type { RateUsage } from "../../accept/accept-batch.ts";
import type { AccountDatabase } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { createFairSlots } from "../../fair-slots.ts";
import { readWindows } from "./rate-limit-headers.ts";

/** Limits what the requests of one account can take from others, in this process. Reads are the GET requests with a credential. */
export interface ReadLimits {
  /** Counts one read of the account against its limits. A refused read is not counted. */
  count(accountId: string): ReadCount;
  /** The same rows, but a statement waits while too many of the account run. For every request with a credential but POST /send. */
  limit(db: AccountDatabase): AccountDatabase;
}

export interface ReadCount {
  usage: RateUsage;
  /** Undefined when the read is admitted. */
  retryMs: number | undefined;
}

/** As many as the account may make in a second, so that reads within the rate are not refused for coming at once. */
const maxWaitingPerAccount = 200;
const maxWaiting = 1_000;
const maxWaitMs = 2_000;
const maxAccounts = 10_000;

/**
 * 1. Rate: fixed windows that start with the first read after the last window.
 * 2. Concurrency: one account uses at most a third of the connections, rounded up, and all accounts four fifths, rounded down, so that
 *    the check of a credential finds a connection (a pool of one has none to spare). Further statements wait for up to two seconds;
 *    then the request gets 429.
 */
export function createReadLimits(poolSize: number, now: () => number = () => performance.now()): ReadLimits {
  const countOf = new Map<string, { usedIn: number[]; endsAt: number[] }>();
  const slots = createFairSlots({
    perOwner: Math.ceil(poolSize / 3),
    total: Math.max(1, Math.floor(poolSize * 0.8)),
    waitingPerOwner: maxWaitingPerAccount,
    waitingTotal: maxWaiting,
    maxWaitMs,
    refuse: tooManyAtOnce,
  });

  return {
    count(accountId) {
      const time = now();
      const { usedIn, endsAt } = countOf.get(accountId) ?? { usedIn: [], endsAt: [] };
      if (countOf.size >= maxAccounts) countOf.clear();
      countOf.set(accountId, { usedIn, endsAt });
      for (const [index, { seconds }] of readWindows.entries()) {
        if (time < (endsAt[index] ?? 0)) continue;
        usedIn[index] = 0;
        endsAt[index] = time + seconds * 1000;
      }
      const remaining = readWindows.map(({ limit }, index) => limit - (usedIn[index] ?? 0));
      const limits = readWindows.map(({ limit }) => limit);
      const waits = endsAt.filter((_, index) => remaining[index] === 0).map((end) => end - time);
      if (waits.length > 0) return { usage: { limits, remaining }, retryMs: Math.max(...waits) };
      for (const index of readWindows.keys()) usedIn[index] = (usedIn[index] ?? 0) + 1;
      return { usage: { limits, remaining: remaining.map((left) => left - 1) }, retryMs: undefined };
    },

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
