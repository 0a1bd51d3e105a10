import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** What the noisy tenant uses. */
export interface NoisyTenant {
  url: string;
  key: string;
  accessToken: string;
  email: string;
  from: string;
}

export type FloodCounts = Record<string, number>;

export interface Floods {
  /** Answers so far, by flood and status, such as `lists 429`. */
  counts(): FloodCounts;
  /** The floods besides the mail go on or stop. */
  setAbuse(isOn: boolean): void;
  stop(): Promise<unknown>;
}

/**
 * Starts the noisy tenant in a thread of its own. It sends mails of 50 recipients as fast as its limits allow, and while abuse is on
 * it repeats list requests, registrations, large mails, validations and log-ins without a pause, whatever the answers say.
 */
export async function startFloods(tenant: NoisyTenant): Promise<Floods> {
  const thread = new Worker(new URL("./floods-thread.ts", import.meta.url), { workerData: tenant });
  let last: FloodCounts = {};
  thread.on("message", (counts: FloodCounts) => {
    last = counts;
  });
  await once(thread, "message");
  return {
    counts: () => last,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
    setAbuse: (isOn) => thread.postMessage(isOn),
    stop: () => thread.terminate(),
  };
}
