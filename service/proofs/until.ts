import { setTimeout as sleep } from "node:timers/promises";

/** Polls until `isSo` returns true; throws an error with the text `what` when the time is up. */
export async function until(what: string, withinSeconds: number, isSo: () => Promise<boolean>, pauseMs = 50) {
  const end = performance.now() + withinSeconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${withinSeconds} s: ${what}`);
    await sleep(pauseMs);
  }
}
