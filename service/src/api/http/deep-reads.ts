import { maxShallowOffset } from "../../db/deep-page.ts";
import { AppError } from "../../errors.ts";

/** Such a read takes one connection for up to a second, so most of the pool stays free for other requests. */
const maxRunning = 2;
const maxWaitingPerAccount = 32;
const maxWaitMs = 10_000;

/**
 * Limits the reads of pages far back in a list: one at a time for an account, and two for this process. Others wait; with 32 waiting an
 * account gets 503 with Retry-After, and so does a read that has waited for ten seconds.
 */
export function createDeepReads(wait = maxWaitMs) {
  const running = new Set<string>();
  const waiting: { accountId: string; start: () => void }[] = [];

  const startNext = () => {
    const next = waiting.findIndex(({ accountId }) => !running.has(accountId));
    if (next >= 0 && running.size < maxRunning) waiting.splice(next, 1)[0]?.start();
  };

  const admit = (accountId: string) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.filter((other) => other.accountId === accountId).length >= maxWaitingPerAccount) {
        reject(tooMany());
        return;
      }
      const one = {
        accountId,
        start: () => {
          clearTimeout(timer);
          running.add(accountId);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(one), 1);
        reject(tooMany());
      }, wait);
      waiting.push(one);
      startNext();
    });

  return {
    /** `offset` is the number of entries before the page. */
    async run<Result>(accountId: string, offset: number, read: () => Promise<Result>): Promise<Result> {
      if (offset <= maxShallowOffset) return read();
      await admit(accountId);
      try {
        return await read();
      } finally {
        running.delete(accountId);
        startNext();
      }
    },
  };
}

function tooMany(): AppError {
  const message =
    "Too many requests for pages far back in the list are in progress. Repeat the request later, or continue the list with before.";
  return new AppError("UNAVAILABLE", message, { retryAfterSeconds: 1 });
}
