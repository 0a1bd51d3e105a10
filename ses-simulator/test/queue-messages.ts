import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { RunningSimulator } from "./use-simulator.ts";

export function sendMessage(running: RunningSimulator, QueueUrl: string, MessageBody: string) {
  return running.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}

/** Returns undefined when the queue is empty, like SQS. */
export async function receiveMessages(
  running: RunningSimulator,
  QueueUrl: string,
  changes: Partial<ReceiveMessageCommandInput> = {},
) {
  return (await running.sqs.send(new ReceiveMessageCommand({ QueueUrl, ...changes }))).Messages;
}

export function deleteMessage(running: RunningSimulator, QueueUrl: string, ReceiptHandle = "") {
  return running.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}
