import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { ProviderError } from "../../email-provider.ts";
import { clientSettings } from "../client-settings.ts";
import { type ControlCall, createControlCall } from "../control-call.ts";
import { queuePolicy } from "./access-policies.ts";

export interface QueueCalls {
  client: SQSClient;
  call: ControlCall;
}

/** 14 days, the maximum of SQS: operators have this long to inspect messages that cannot be applied. */
export const retentionSeconds = 1_209_600;
/**
 * A crash of a worker uses up one try of every message that it holds, so the limit is high. A message that a running
 * worker fails to apply is in quarantine after three tries.
 */
export const maxReceiveCount = 100;

export function queueCalls(region: string, endpoint: string | undefined): QueueCalls {
  const requestMs = 10_000;
  return { client: sqsClient({ region, endpoint, requestMs }), call: createControlCall(requestMs) };
}

export function sqsClient(options: { region: string; endpoint: string | undefined; requestMs: number }): SQSClient {
  const { region, endpoint, requestMs } = options;
  const timeouts = { connectMs: 3_000, requestMs, idleMs: 5_000 };
  const settings = clientSettings({ service: "sqs", region, endpoint, timeouts });
  // Otherwise the queue URL, which Postern uses only as a name, would decide where the SDK sends requests.
  return new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
}

/** With its policy from the start: SQS may take a minute to apply one that is set later. */
export async function createTemporaryQueue(
  { client, call }: QueueCalls,
  arns: Pick<QueueArns, "queue" | "topic">,
): Promise<string> {
  const command = new CreateQueueCommand({
    QueueName: arns.queue.split(":").at(-1),
    Attributes: {
      // Should nobody delete the queue, it at least keeps no event for longer.
      MessageRetentionPeriod: "3600",
      Policy: JSON.stringify(queuePolicy(arns.queue, arns.topic)),
    },
  });
  const { QueueUrl } = await call((deadline) => client.send(command, deadline));
  if (QueueUrl === undefined) throw new ProviderError("unavailable", "The answer of SQS has no queue URL.", undefined);
  return QueueUrl;
}

/** Succeeds as well when there is no such queue. */
export async function deleteQueue({ client, call }: QueueCalls, url: string): Promise<void> {
  const command = new DeleteQueueCommand({ QueueUrl: url });
  await call((deadline) => client.send(command, deadline), { QueueDoesNotExist: undefined });
}

/** Receives one message and leaves it visible for the workers. */
export async function glanceAtQueue({ client, call }: QueueCalls, url: string): Promise<void> {
  const command = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: 1,
    WaitTimeSeconds: 0,
    VisibilityTimeout: 0,
  });
  await call((deadline) => client.send(command, deadline));
}

/** Returns the URL of an existing queue with this name. Sets no attributes, because SQS refuses to change them here. */
export async function createQueue({ client, call }: QueueCalls, name: string): Promise<string> {
  const create = new CreateQueueCommand({ QueueName: name });
  const created = await call((deadline) => client.send(create, deadline), { QueueNameExists: undefined });
  const url = created?.QueueUrl ?? (await findQueueUrl({ client, call }, name));
  if (url === undefined) throw new ProviderError("unavailable", "The answer of SQS has no queue URL.", undefined);
  return url;
}

/** Returns undefined when there is no such queue. */
export async function findQueueUrl({ client, call }: QueueCalls, name: string): Promise<string | undefined> {
  const command = new GetQueueUrlCommand({ QueueName: name });
  const found = await call((deadline) => client.send(command, deadline), { QueueDoesNotExist: undefined });
  return found?.QueueUrl;
}

/** Returns undefined when there is no such queue. */
export async function findQueueAttributes({ client, call }: QueueCalls, url: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] });
  const found = await call((deadline) => client.send(command, deadline), { QueueDoesNotExist: undefined });
  return found?.Attributes;
}

export function setRetention(calls: QueueCalls, url: string): Promise<"done"> {
  return setAttributes(calls, url, { MessageRetentionPeriod: String(retentionSeconds) });
}

/** SQS moves a message to the dead-letter queue after `maxReceiveCount` deliveries. */
export function configureQueue(calls: QueueCalls, url: string, arns: QueueArns): Promise<"done"> {
  return setAttributes(calls, url, {
    MessageRetentionPeriod: String(retentionSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arns.deadLetterQueue, maxReceiveCount }),
    Policy: JSON.stringify(queuePolicy(arns.queue, arns.topic)),
  });
}

export interface QueueArns {
  queue: string;
  deadLetterQueue: string;
  topic: string;
}

async function setAttributes(
  { client, call }: QueueCalls,
  url: string,
  attributes: Record<string, string>,
): Promise<"done"> {
  const command = new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes });
  await call((deadline) => client.send(command, deadline));
  return "done";
}
