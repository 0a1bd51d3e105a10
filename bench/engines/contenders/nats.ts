import { AckPolicy, type JsMsg, jetstream, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { runEngineProcess } from "../engine-process.ts";
import { callProvider, type Send, slots } from "../workload.ts";
import { openRecord, recordUrl } from "./record.ts";

/** JetStream as a work queue on disk: concurrent publishing, one durable pull consumer, explicit acknowledgements. */
const connection = await connect({ servers: `127.0.0.1:${process.env.NATS_PORT}` });
const [stream, consumer] = ["sends", "worker"];

await runEngineProcess({
  async openProducer() {
    const record = openRecord();
    const client = jetstream(connection);
    const accept = async (send: Send) => {
      // Record first: a crash between the two leaves a send that a sweep can find. The reverse order would leave a mail without a record.
      await record.insert(send);
      await client.publish(stream, JSON.stringify(send));
    };
    return { accept };
  },

  async openWorker(sent) {
    const record = openRecord();
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
      const { id } = message.json<Send>();
      await record.markSent({ id, messageId: await callProvider() });
      // With a record, a lost acknowledgement costs one repetition. Without a record, the acknowledgement is the only mark, so it waits.
      if (recordUrl === undefined) await message.ackAck();
      else message.ack();
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
