import { Queue, Worker } from "bullmq";
import { runEngineProcess } from "../engine-process.ts";
import { callProvider, type Send, slots } from "../workload.ts";
import { openRecord, shared } from "./record.ts";

/** BullMQ as its guide recommends: `addBulk`, one worker with a high concurrency, jobs removed on completion. */
const connection = { host: "127.0.0.1", port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const name = "sends";

await runEngineProcess({
  async openProducer() {
    const record = openRecord();
    const queue = openQueue();
    await queue.waitUntilReady();
    const add = shared<Send>((sends) => queue.addBulk(sends.map((send) => ({ name: "send", data: send }))));
    const accept = async (send: Send) => {
      // Record first: a crash between the two leaves a send that a sweep can find. The reverse order would leave a mail without a record.
      await record.insert(send);
      await add(send);
    };
    return { accept };
  },

  async openWorker(sent) {
    const record = openRecord();
    const queue = openQueue();
    const worker = new Worker<Send>(
      name,
      async ({ data }) => {
        await record.markSent({ id: data.id, messageId: await callProvider() });
      },
      { connection, concurrency: slots },
    );
    worker.on("completed", sent);
    worker.on("failed", (_job, error) => console.error(error));
    await worker.waitUntilReady();
    return { left: () => queue.getJobCountByTypes("wait", "active", "delayed", "failed", "prioritized") };
  },
});

function openQueue(): Queue<Send> {
  return new Queue<Send>(name, { connection, defaultJobOptions: { removeOnComplete: true } });
}
