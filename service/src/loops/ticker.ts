import { setTimeout as sleep } from "node:timers/promises";

interface TickerOptions {
  pauseMs: number | (() => number);
  run: () => Promise<void>;
  /** Called for the first of several consecutive failures. */
  onFailure: (error: unknown) => void;
}

/** Repeats `run` in this process, with a pause between the end of one run and the start of the next. */
export function startTicker({ pauseMs, run, onFailure }: TickerOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = (async () => {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      try {
        await run();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onFailure(error);
        isFailing = true;
      }
      await sleep(typeof pauseMs === "number" ? pauseMs : pauseMs(), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
