import { GetQueueAttributesCommand, type QueueAttributeName, type SQSClient } from "@aws-sdk/client-sqs";
import type { QueueCounts } from "../../feedback.ts";
import type { ControlCall } from "../control-call.ts";
import { type QueueCalls, queueCalls } from "../setup/queue-calls.ts";

interface CountOptions {
  region: string;
  endpoint: string | undefined;
  queueUrl: string;
}

/** Asks SQS for the sizes of the queue and of its dead-letter queue: two requests a call. */
export function createMessageCounter({ region, endpoint, queueUrl }: CountOptions): () => Promise<QueueCounts> {
  const calls = queueCalls(region, endpoint);
  return () => countMessages(calls, queueUrl);
}

async function countMessages({ client, call }: QueueCalls, queueUrl: string): Promise<QueueCounts> {
  const { waiting, inFlight, redrivePolicy } = await attributesOf(client, call, queueUrl);
  const deadLetterUrl = deadLetterUrlOf(queueUrl, redrivePolicy);
  const dead = deadLetterUrl === undefined ? undefined : await attributesOf(client, call, deadLetterUrl);
  return { queued: waiting, inFlight, deadLetters: dead === undefined ? undefined : dead.waiting + dead.inFlight };
}

const attributeNames: QueueAttributeName[] = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "RedrivePolicy",
];

async function attributesOf(client: SQSClient, call: ControlCall, QueueUrl: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: attributeNames });
  const { Attributes = {} } = await call((deadline) => client.send(command, deadline));
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
    redrivePolicy: Attributes.RedrivePolicy,
  };
}

/** SQS requires both queues in one account and region, so only the name at the end of the URL differs. */
function deadLetterUrlOf(queueUrl: string, redrivePolicy = ""): string | undefined {
  const name = /"deadLetterTargetArn"\s*:\s*"[^"]*:([^":]+)"/.exec(redrivePolicy)?.[1];
  return name === undefined ? undefined : queueUrl.replace(/[^/]+$/, name);
}
