import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again; what does not come about in time is an error that names it. */
export async function until(what: string, withinSeconds: number, isSo: () => Promise<boolean>, pauseMs = 50) {
  const end = performance.now() + withinSeconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${withinSeconds} s: ${what}`);
    await sleep(pauseMs);
  }
}
