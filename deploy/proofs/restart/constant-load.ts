import { setTimeout as sleep } from "node:timers/promises";
import { createSendingClient, type TestSender } from "../../../service/proofs/sends/sending-client.ts";

export interface Answered {
  requests: number;
  /** Every request without a 202, with its status or error. */
  failures: string[];
  slowestMs: number;
}

const clients = 8;
const pauseMs = 100;

/** Eight clients with keep-alive connections send test mail until `stop`, and never repeat a request. */
export function startConstantLoad(url: string, sender: TestSender): { stop(): Promise<Answered> } {
  const answered: Answered = { requests: 0, failures: [], slowestMs: 0 };
  const client = createSendingClient(clients);
  let isStopping = false;
  const sendOnce = async () => {
    const started = performance.now();
    const failure = await client.send(url, sender, {}).then(
      ({ status }) => (status === 202 ? undefined : `status ${status}`),
      (error: unknown) => String(error),
    );
    answered.requests += 1;
    answered.slowestMs = Math.max(answered.slowestMs, performance.now() - started);
    if (failure !== undefined) answered.failures.push(failure);
  };
  const lanes = Array.from({ length: clients }, async (_, lane) => {
    for (await sleep((lane * pauseMs) / clients); !isStopping; await sleep(pauseMs)) await sendOnce();
  });
  return {
    async stop() {
      isStopping = true;
      await Promise.all(lanes);
      client.close();
      return answered;
    },
  };
}
