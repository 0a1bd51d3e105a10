import { setTimeout as sleep } from "node:timers/promises";

/** Resolves once the address answers with 200. */
export async function untilAnswers(url: string, withinSeconds: number): Promise<void> {
  for (const deadline = performance.now() + withinSeconds * 1000; performance.now() < deadline; await sleep(250)) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (response?.ok) return;
  }
  throw new Error(`${url} did not answer with 200 within ${withinSeconds} s`);
}
