import { fork } from "node:child_process";
import { once } from "node:events";

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
 * Starts the noisy tenant in a session of its own. It sends mails of 50 recipients as fast as its limits allow, and while abuse is on
 * it repeats list requests, registrations, large mails, validations and log-ins without a pause, whatever the answers say.
 */
export async function startFloods(tenant: NoisyTenant): Promise<Floods> {
  const child = fork(new URL("./floods-process.ts", import.meta.url), [JSON.stringify(tenant)], { detached: true });
  let last: FloodCounts = {};
  child.on("message", (counts: FloodCounts) => {
    last = counts;
  });
  await once(child, "message");
  return {
    counts: () => last,
    setAbuse: (isOn) => child.send(isOn),
    async stop() {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      await closed;
    },
  };
}
