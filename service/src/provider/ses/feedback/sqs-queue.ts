import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { FeedbackQueue, ReceivedMessage } from "../../feedback.ts";
import { createAsk } from "../control-call.ts";
import { toProviderError } from "../identities/classify-control-error.ts";
import { sqsClient } from "../setup/queue-calls.ts";
import { readQueuedMessage } from "./read-envelope.ts";

export interface SqsQueueOptions {
  region: string;
  endpoint: string | undefined;
  queueUrl: string;
  /** Messages of other topics are unreadable. */
  topicArns: readonly string[];
}

const hiddenSeconds = 30;
const mostAtOnce = 10;
const longestWaitSeconds = 20;
/** An answer to a long poll comes when the wait is over, and a little later. */
const graceSeconds = 10;
const deleteTimeoutMs = 10_000;

export function createSqsQueue(options: SqsQueueOptions): FeedbackQueue {
  const { region, endpoint } = options;
  const client = sqsClient({ region, endpoint, requestMs: (longestWaitSeconds + graceSeconds) * 1000 });
  const ask = createAsk(deleteTimeoutMs);
  const closing = new AbortController();
  return {
    hiddenSeconds,
    async receive({ waitSeconds }) {
      if (closing.signal.aborted) return "closed";
      const command = new ReceiveMessageCommand({
        QueueUrl: options.queueUrl,
        MaxNumberOfMessages: mostAtOnce,
        WaitTimeSeconds: waitSeconds,
        // Said with every request, so that it does not depend on how the queue was made.
        VisibilityTimeout: hiddenSeconds,
        MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      });
      try {
        const timeout = AbortSignal.timeout((waitSeconds + graceSeconds) * 1000);
        const abortSignal = AbortSignal.any([closing.signal, timeout]);
        const { Messages = [] } = await client.send(command, { abortSignal });
        return Messages.map((message) => receivedFrom(message, options.topicArns));
      } catch (error) {
        // An empty list would say that nothing was there.
        if (closing.signal.aborted) return "closed";
        throw toProviderError(error);
      }
    },
    async delete(receiptHandles) {
      const failed: string[] = [];
      for (let first = 0; first < receiptHandles.length; first += mostAtOnce) {
        const handles = receiptHandles.slice(first, first + mostAtOnce);
        const Entries = handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
        const command = new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries });
        const { Successful = [] } = await ask((deadline) => client.send(command, deadline));
        // A 200 can hold failures, and what it does not name was not deleted either.
        const deleted = new Set(Successful.map(({ Id }) => Id));
        failed.push(...handles.filter((_, index) => !deleted.has(String(index))));
      }
      return failed;
    },
    close: () => closing.abort(),
  };
}

function receivedFrom(message: Message, topicArns: readonly string[]): ReceivedMessage {
  const { MessageId = "", Body = "", ReceiptHandle = "", Attributes = {} } = message;
  return {
    id: MessageId,
    body: Body,
    feedback: readQueuedMessage(Body, topicArns),
    receiptHandle: ReceiptHandle,
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}
