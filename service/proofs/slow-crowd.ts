import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface Crowd {
  port: number;
  /** Connect and say nothing, or only half of a head. */
  idle: number;
  /** Send a body of many bytes, one each second. */
  slow: number;
  key: string;
}

export interface CrowdState {
  connected: number;
  /** How often the server ended a connection; each comes back. */
  cut: number;
}

/**
 * Clients that take a connection and give nothing for it, in a thread of their own: what they cost here must not be measured
 * as what they cost the server. Resolves when all of them are in.
 */
export async function gatherSlowCrowd(crowd: Crowd): Promise<{ state(): CrowdState; disperse(): Promise<unknown> }> {
  const thread = new Worker(new URL("./slow-crowd-thread.ts", import.meta.url), { workerData: crowd });
  let last: CrowdState = { connected: 0, cut: 0 };
  thread.on("message", (state: CrowdState) => {
    last = state;
  });
  const end = performance.now() + 30_000;
  while (last.connected < crowd.idle + crowd.slow && performance.now() < end) await once(thread, "message");
  return { state: () => last, disperse: () => thread.terminate() };
}
