import { setTimeout as sleep } from "node:timers/promises";

/** Resolves once `isTrue` is; rejects after `withinMs` with what was waited for. */
export async function until(
  what: string | (() => string),
  withinMs: number,
  isTrue: () => Promise<boolean>,
): Promise<void> {
  for (const endsAt = performance.now() + withinMs; performance.now() < endsAt; await sleep(100)) {
    if (await isTrue()) return;
  }
  throw new Error(`not within ${withinMs / 1000} s: ${typeof what === "string" ? what : what()}`);
}
