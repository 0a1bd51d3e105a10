import { AckPolicy, type JsMsg, jetstream, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { runEngineProcess } from "../engine-process.ts";
import { type Send, slots } from "../workload.ts";
import { openAcceptance, openMarking, openPreparation, openSubmission } from "./duties.ts";

/** JetStream as a work queue on disk: concurrent publishing, one durable pull consumer, explicit acknowledgements. */
const connection = await connect({ servers: `127.0.0.1:${process.env.NATS_PORT}` });
const [stream, consumer] = ["sends", "worker"];

await runEngineProcess({
  async openProducer() {
    const prepare = await openPreparation();
    const store = openAcceptance();
    const client = jetstream(connection);
    const accept = async (send: Send) => {
      await store(prepare(send));
      await client.publish(stream, send.id);
    };
    return { accept };
  },

  async openWorker(sent) {
    const submit = openSubmission();
    const mark = openMarking();
    const manager = await jetstreamManager(connection);
    await manager.streams.add({
      name: stream,
      subjects: [stream],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: 1,
    });
    await manager.consumers.add(stream, {
      durable_name: consumer,
      ack_policy: AckPolicy.Explicit,
      max_ack_pending: slots,
    });
    const work = async (message: JsMsg) => {
      await mark(await submit(message.string()));
      // A lost acknowledgement costs one repetition, which the re-check refuses.
      message.ack();
      sent();
    };
    const pulled = await jetstream(connection).consumers.get(stream, consumer);
    await pulled.consume({ max_messages: 2 * slots, callback: (message) => void work(message) });
    return {
      async left() {
        const { state } = await manager.streams.info(stream);
        return state.messages;
      },
    };
  },
});
