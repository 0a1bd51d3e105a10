import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createSendingClient, type TestSender } from "../sends/sending-client.ts";

const everyMs = 50;

/** A quiet account sends plain mail, in a thread of its own so that nothing but the API delays it. */
const { url, sender, seconds }: { url: string; sender: TestSender; seconds: number } = workerData;
const client = createSendingClient(8);
const tookMs: number[] = [];
let refused = 0;
const pending = new Set<Promise<void>>();
const ends = performance.now() + seconds * 1000;
while (performance.now() < ends) {
  const began = performance.now();
  const one = client.send(url, sender, {}).then(({ status }) => {
    if (status === 202) tookMs.push(performance.now() - began);
    else refused += 1;
  });
  pending.add(one);
  void one.finally(() => pending.delete(one));
  await sleep(everyMs);
}
await Promise.all(pending);
client.close();
const measured = { tookMs, refused };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
parentPort?.postMessage(measured);
