import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosCell } from "../cell/chaos-cell.ts";
import { postSend } from "./post-send.ts";

const everyMs = 2_000;
/** Unfinished sends of the trickle are younger than this. */
export const trickleSeconds = 10;

/**
 * Continues to send some mail after the load, as in production. Its events prove that consumers have read far enough to
 * resolve sends in doubt. Without them the worker waits until the event queue is empty, up to a minute longer.
 */
export function startTrickle({ apiUrls, senders }: ChaosCell): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const [url = ""] = apiUrls;
  const [sender] = senders;
  const flow = async () => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const key = `trickle-${number}`;
      const to = [`success+${key}@simulator.amazonses.com`];
      const body = { from: sender?.from, to, subject: "Trickle", text: key, idempotency_key: key };
      await postSend(url, sender?.key ?? "", body).catch(() => undefined);
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const ended = flow();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
