import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { ProviderError } from "../../email-provider.ts";
import { clientSettings } from "../client-settings.ts";
import { type Ask, createAsk } from "../control-call.ts";
import { queuePolicy } from "./access-policies.ts";

export interface QueueCalls {
  client: SQSClient;
  ask: Ask;
}

/** 14 days, the longest SQS offers: what cannot be applied waits for someone to look. */
export const retentionSeconds = 1_209_600;
/** A worker that dies uses up a try of all it had in hand; what breaks a living one is in quarantine after three. */
export const maxReceiveCount = 100;

export function queueCalls(region: string, endpoint: string | undefined): QueueCalls {
  const requestMs = 10_000;
  return { client: sqsClient({ region, endpoint, requestMs }), ask: createAsk(requestMs) };
}

export function sqsClient(options: { region: string; endpoint: string | undefined; requestMs: number }): SQSClient {
  const { region, endpoint, requestMs } = options;
  const timeouts = { connectMs: 3_000, requestMs, idleMs: 5_000 };
  const settings = clientSettings({ service: "sqs", region, endpoint, timeouts });
  // Otherwise the address of a queue, which is only a name to us, would decide where requests go.
  return new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
}

/** Answers with the same address when there is one already. Attributes are set apart: SQS refuses to change them here. */
export async function createQueue({ client, ask }: QueueCalls, name: string): Promise<string> {
  const create = new CreateQueueCommand({ QueueName: name });
  const made = await ask((deadline) => client.send(create, deadline), { QueueNameExists: undefined });
  const url = made?.QueueUrl ?? (await findQueueUrl({ client, ask }, name));
  if (url === undefined) throw new ProviderError("unavailable", "SQS told no address of the queue.", undefined);
  return url;
}

/** Undefined when there is no such queue. */
export async function findQueueUrl({ client, ask }: QueueCalls, name: string): Promise<string | undefined> {
  const command = new GetQueueUrlCommand({ QueueName: name });
  const found = await ask((deadline) => client.send(command, deadline), { QueueDoesNotExist: undefined });
  return found?.QueueUrl;
}

/** Undefined when there is no such queue. */
export async function findQueueAttributes({ client, ask }: QueueCalls, url: string) {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] });
  const found = await ask((deadline) => client.send(command, deadline), { QueueDoesNotExist: undefined });
  return found?.Attributes;
}

export function keepLong(calls: QueueCalls, url: string): Promise<"done"> {
  return setAttributes(calls, url, { MessageRetentionPeriod: String(retentionSeconds) });
}

/** What was received so often without being applied moves to the dead-letter queue. */
export function takeFromTopic(calls: QueueCalls, url: string, arns: QueueArns): Promise<"done"> {
  return setAttributes(calls, url, {
    MessageRetentionPeriod: String(retentionSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arns.dead, maxReceiveCount }),
    Policy: JSON.stringify(queuePolicy(arns.queue, arns.topic)),
  });
}

export interface QueueArns {
  queue: string;
  dead: string;
  topic: string;
}

async function setAttributes(
  { client, ask }: QueueCalls,
  url: string,
  attributes: Record<string, string>,
): Promise<"done"> {
  const command = new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes });
  await ask((deadline) => client.send(command, deadline));
  return "done";
}
