import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { QueueCalls } from "../../src/provider/ses/setup/queue-calls.ts";

/** Deletes the messages that one receive returns, at most ten. */
export async function emptyQueue({ client, call }: QueueCalls, QueueUrl: string): Promise<void> {
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 });
  const { Messages = [] } = await call((deadline) => client.send(receive, deadline));
  for (const { ReceiptHandle } of Messages) {
    await call((deadline) => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }), deadline));
  }
}
