import {
  ConfirmSubscriptionCommand,
  CreateTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { ProviderError } from "../../email-provider.ts";
import { clientSettings } from "../client-settings.ts";
import { type ControlCall, createControlCall } from "../control-call.ts";
import { topicPolicy } from "./access-policies.ts";

export interface TopicCalls {
  client: SNSClient;
  call: ControlCall;
}

export interface TopicSubscription {
  /** Undefined until the subscription is confirmed. */
  arn: string | undefined;
  protocol: string;
  endpoint: string;
}

export function topicCalls(region: string, endpoint: string | undefined): TopicCalls {
  const timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };
  const client = new SNSClient(clientSettings({ service: "sns", region, endpoint, timeouts }));
  return { client, call: createControlCall(timeouts.requestMs) };
}

/** Returns the ARN of an existing topic with this name. Sets no attributes, because SNS refuses to change them here. */
export async function createTopic({ client, call }: TopicCalls, name: string): Promise<string> {
  const command = new CreateTopicCommand({ Name: name });
  const { TopicArn } = await call((deadline) => client.send(command, deadline));
  if (TopicArn === undefined) throw new ProviderError("unavailable", "The answer of SNS has no topic ARN.", undefined);
  return TopicArn;
}

/** SignatureVersion 1, the default, is SHA-1. */
export function signWithSha256(calls: TopicCalls, topicArn: string): Promise<"done"> {
  return setAttribute(calls, topicArn, "SignatureVersion", "2");
}

export function allowPublishing(calls: TopicCalls, topicArn: string, configurationSetName: string): Promise<"done"> {
  return setAttribute(calls, topicArn, "Policy", JSON.stringify(topicPolicy(topicArn, configurationSetName)));
}

/** Returns the ARN of an existing subscription of this queue. A queue of the same account needs no confirmation. */
export async function subscribeQueue(
  { client, call }: TopicCalls,
  topicArn: string,
  queueArn: string,
): Promise<string> {
  const command = new SubscribeCommand({
    TopicArn: topicArn,
    Protocol: "sqs",
    Endpoint: queueArn,
    ReturnSubscriptionArn: true,
  });
  const { SubscriptionArn } = await call((deadline) => client.send(command, deadline));
  if (SubscriptionArn === undefined)
    throw new ProviderError("unavailable", "The answer of SNS has no subscription ARN.", undefined);
  return SubscriptionArn;
}

/** Succeeds as well when there is no such subscription. */
export async function unsubscribe({ client, call }: TopicCalls, subscriptionArn: string): Promise<void> {
  const command = new UnsubscribeCommand({ SubscriptionArn: subscriptionArn });
  await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
}

/** Raw delivery omits the envelope that names the topic. `subscribeQueue` does not change an existing subscription. */
export async function disableRawDelivery({ client, call }: TopicCalls, subscriptionArn: string): Promise<"done"> {
  const command = new SetSubscriptionAttributesCommand({
    SubscriptionArn: subscriptionArn,
    AttributeName: "RawMessageDelivery",
    AttributeValue: "false",
  });
  await call((deadline) => client.send(command, deadline));
  return "done";
}

/**
 * `AuthenticateOnUnsubscribe` disables the unsubscribe link in messages: only an authenticated call ends the
 * subscription.
 */
export async function confirmSubscription(
  { client, call }: TopicCalls,
  topicArn: string,
  token: string,
): Promise<void> {
  const command = new ConfirmSubscriptionCommand({
    TopicArn: topicArn,
    Token: token,
    AuthenticateOnUnsubscribe: "true",
  });
  await call((deadline) => client.send(command, deadline));
}

/** Returns undefined when there is no such topic. */
export async function findTopicAttributes({ client, call }: TopicCalls, topicArn: string) {
  const command = new GetTopicAttributesCommand({ TopicArn: topicArn });
  const found = await call((deadline) => client.send(command, deadline), { NotFoundException: undefined });
  return found?.Attributes;
}

export async function listSubscriptions(
  { client, call }: TopicCalls,
  topicArn: string,
  after?: string,
): Promise<TopicSubscription[]> {
  const command = new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, NextToken: after });
  const { Subscriptions = [], NextToken } = await call((deadline) => client.send(command, deadline));
  const page = Subscriptions.map(({ SubscriptionArn = "", Protocol = "", Endpoint = "" }) => ({
    arn: SubscriptionArn.startsWith("arn:") ? SubscriptionArn : undefined,
    protocol: Protocol,
    endpoint: Endpoint,
  }));
  if (NextToken === undefined || NextToken === "") return page;
  return [...page, ...(await listSubscriptions({ client, call }, topicArn, NextToken))];
}

export async function getSubscriptionAttributes({ client, call }: TopicCalls, subscriptionArn: string) {
  const command = new GetSubscriptionAttributesCommand({ SubscriptionArn: subscriptionArn });
  const { Attributes = {} } = await call((deadline) => client.send(command, deadline));
  return Attributes;
}

async function setAttribute(
  { client, call }: TopicCalls,
  topicArn: string,
  name: string,
  value: string,
): Promise<"done"> {
  const command = new SetTopicAttributesCommand({ TopicArn: topicArn, AttributeName: name, AttributeValue: value });
  await call((deadline) => client.send(command, deadline));
  return "done";
}
