import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createSendingClient, type TestSender } from "../../../service/proofs/sends/sending-client.ts";
import type { LoadOptions, LoadResult } from "./offered-load.ts";

const { url, senders, perSecond, seconds }: LoadOptions = workerData;
const client = createSendingClient(256);
const acceptedMs: number[] = [];
const others: Record<string, number> = {};
const pending = new Set<Promise<void>>();
const total = perSecond * seconds;
const began = performance.now();
for (let number = 0; number < total; number++) {
  const due = began + (number * 1_000) / perSecond;
  const early = due - performance.now();
  if (early > 0) await sleep(early);
  const one = sendOne(due, senders[number % senders.length] as TestSender);
  pending.add(one);
  void one.finally(() => pending.delete(one));
}
await Promise.all(pending);
client.close();
const result: LoadResult = { acceptedMs: Float64Array.from(acceptedMs), others };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a thread, not a window
parentPort?.postMessage(result);

async function sendOne(due: number, sender: TestSender): Promise<void> {
  const status = await client.send(url, sender, {}).then(
    (answer) => answer.status,
    () => 0,
  );
  if (status === 202) acceptedMs.push(performance.now() - due);
  else others[status] = (others[status] ?? 0) + 1;
}
