import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type { FeedbackQueue, ReceivedMessage } from "../../feedback.ts";
import { createControlCall } from "../control-call.ts";
import { sqsClient } from "../setup/queue-calls.ts";
import { toProviderError } from "../to-provider-error.ts";
import { withinDeadline } from "../within-deadline.ts";
import { readQueuedMessage } from "./read-envelope.ts";

export interface SqsQueueOptions {
  region: string;
  endpoint: string | undefined;
  queueUrl: string;
  /** A message of any other topic is unreadable. */
  topicArns: readonly string[];
  /** Reads the events of this check of `postern aws check` and ignores all others. */
  checkId?: string;
}

const visibilityTimeoutSeconds = 30;
const maxBatchSize = 10;
const maxWaitSeconds = 20;
/** SQS answers a long poll shortly after its wait ends. */
const answerGraceSeconds = 10;
const deleteTimeoutMs = 10_000;

export function createSqsQueue(options: SqsQueueOptions): FeedbackQueue {
  const { region, endpoint } = options;
  const client = sqsClient({ region, endpoint, requestMs: (maxWaitSeconds + answerGraceSeconds) * 1000 });
  const call = createControlCall(deleteTimeoutMs);
  const closing = new AbortController();
  return {
    visibilityTimeoutSeconds,
    async receive({ waitSeconds }) {
      if (closing.signal.aborted) return "closed";
      const command = new ReceiveMessageCommand({
        QueueUrl: options.queueUrl,
        MaxNumberOfMessages: maxBatchSize,
        WaitTimeSeconds: waitSeconds,
        // Every request states it, so that it does not depend on the attributes of the queue.
        VisibilityTimeout: visibilityTimeoutSeconds,
        MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      });
      try {
        const timeout = AbortSignal.timeout((waitSeconds + answerGraceSeconds) * 1000);
        const abortSignal = AbortSignal.any([closing.signal, timeout]);
        const { Messages = [] } = await withinDeadline((signal) => client.send(command, signal), abortSignal);
        return Messages.map((message) => receivedFrom(message, options));
      } catch (error) {
        // An empty list would claim that the queue is empty.
        if (closing.signal.aborted) return "closed";
        throw toProviderError(error);
      }
    },
    async delete(receiptHandles) {
      const failed: string[] = [];
      for (let first = 0; first < receiptHandles.length; first += maxBatchSize) {
        const handles = receiptHandles.slice(first, first + maxBatchSize);
        const Entries = handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
        const command = new DeleteMessageBatchCommand({ QueueUrl: options.queueUrl, Entries });
        const { Successful = [] } = await call((deadline) => client.send(command, deadline));
        // A 200 can contain failures, and SQS did not delete an entry that the answer does not name.
        const deleted = new Set(Successful.map(({ Id }) => Id));
        failed.push(...handles.filter((_, index) => !deleted.has(String(index))));
      }
      return failed;
    },
    close: () => closing.abort(),
  };
}

function receivedFrom(message: Message, { topicArns, checkId }: SqsQueueOptions): ReceivedMessage {
  const { MessageId = "", Body = "", ReceiptHandle = "", Attributes = {} } = message;
  return {
    id: MessageId,
    body: Body,
    feedback: readQueuedMessage(Body, topicArns, checkId),
    receiptHandle: ReceiptHandle,
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}
