import { Queue, Worker } from "bullmq";
import { runEngineProcess } from "../engine-process.ts";
import { type Send, slots } from "../workload.ts";
import { openAcceptance, openMarking, openPreparation, openSubmission, shared } from "./duties.ts";

interface Job {
  id: string;
}

/** BullMQ as its guide recommends: `addBulk`, one worker with a high concurrency, jobs removed on completion. */
const connection = { host: "127.0.0.1", port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const name = "sends";

await runEngineProcess({
  async openProducer() {
    const prepare = await openPreparation();
    const store = openAcceptance();
    const queue = openQueue();
    await queue.waitUntilReady();
    const add = shared<Job>((jobs) => queue.addBulk(jobs.map(({ id }) => ({ name: "send", data: { id } }))));
    const accept = async (send: Send) => {
      await store(prepare(send));
      await add(send);
    };
    return { accept };
  },

  async openWorker(sent) {
    const submit = openSubmission();
    const mark = openMarking();
    const queue = openQueue();
    const worker = new Worker<Job>(
      name,
      async ({ data }) => {
        await mark(await submit(data.id));
      },
      { connection, concurrency: slots },
    );
    worker.on("completed", sent);
    worker.on("failed", (_job, error) => console.error(error));
    await worker.waitUntilReady();
    return { left: () => queue.getJobCountByTypes("wait", "active", "delayed", "failed", "prioritized") };
  },
});

function openQueue(): Queue<Job> {
  return new Queue<Job>(name, { connection, defaultJobOptions: { removeOnComplete: true } });
}
