import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "./client.ts";

const windows = [
  { seconds: 1, limit: 3 },
  { seconds: 10, limit: 20 },
  { seconds: 60, limit: 100 },
];
const maxRefusals = 10;

/**
 * The published windows as a caller can know them. A request counts from its answer on: the deployment counted it before
 * that, so a window there is never fuller than the one here.
 */
export function createWindows() {
  const answered: number[] = [];
  return {
    note: () => void answered.push(performance.now()),
    /** Waits until every window of at most this length has room for one more. */
    async untilFree(longest = 60): Promise<void> {
      const now = performance.now();
      const waits = windows
        .filter(({ seconds }) => seconds <= longest)
        .map(({ seconds, limit }) => (answered.at(-limit) ?? -Infinity) + seconds * 1000 - now);
      const wait = Math.max(...waits);
      if (wait > 0) await pause(wait + 30);
    },
  };
}

/** Keeps this run's own sends within the limits, for one account and mode. */
export function createSendPace(): (request: () => Promise<Answer>) => Promise<Answer> {
  const own = createWindows();
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = async (request: () => Promise<Answer>, refusals = 0): Promise<Answer> => {
    await own.untilFree();
    const answer = await request();
    own.note();
    // Somebody else sends from this account as well, or an earlier run did a moment ago.
    if (answer.status !== 429 || refusals === maxRefusals) return answer;
    await pause(1000 * Number(answer.headers.get("retry-after") ?? 1));
    return inTurn(request, refusals + 1);
  };
  return (request) => {
    const done = turn.then(() => inTurn(request));
    turn = done.catch(() => undefined);
    return done;
  };
}
