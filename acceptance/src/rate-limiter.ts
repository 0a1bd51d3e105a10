import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "./client.ts";

const windows = [
  { seconds: 1, limit: 3 },
  { seconds: 10, limit: 20 },
  { seconds: 60, limit: 100 },
];
const maxRefusals = 10;

/**
 * The published rate limit windows, counted on the client. A request counts from the moment of its answer. The deployment
 * counted it earlier, so a window on the server is never fuller than the same window here.
 */
export function createRateWindows() {
  const answeredAt: number[] = [];
  return {
    countRequest: () => void answeredAt.push(performance.now()),
    /** Waits until every window of at most this length has capacity for so many requests. */
    async waitForCapacity(longestSeconds = 60, requests = 1): Promise<void> {
      const now = performance.now();
      const waits = windows
        .filter(({ seconds }) => seconds <= longestSeconds)
        .map(({ seconds, limit }) => (answeredAt.at(requests - 1 - limit) ?? -Infinity) + seconds * 1000 - now);
      const wait = Math.max(...waits);
      if (wait > 0) await pause(wait + 30);
    },
  };
}

/**
 * Keeps the sends of this run within the limits, for one account and mode. A request that waits for the capacity of
 * several leaves it to those behind it.
 */
export function createRateLimiter(): (request: () => Promise<Answer>, requests?: number) => Promise<Answer> {
  const rateWindows = createRateWindows();
  let previous: Promise<unknown> = Promise.resolve();

  const sendWithinLimits = async (request: () => Promise<Answer>, requests = 1, refusals = 0): Promise<Answer> => {
    await rateWindows.waitForCapacity(60, requests);
    const answer = await request();
    rateWindows.countRequest();
    // A 429 here means that another client, or an earlier run, also sends from this account.
    if (answer.status !== 429 || refusals === maxRefusals) return answer;
    await pause(1000 * Number(answer.headers.get("retry-after") ?? 1));
    return sendWithinLimits(request, requests, refusals + 1);
  };
  return (request, requests) => {
    const done = previous.then(() => sendWithinLimits(request, requests));
    previous = done.catch(() => undefined);
    return done;
  };
}
