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
} from "@aws-sdk/client-sns";
import { ProviderError } from "../../email-provider.ts";
import { clientSettings } from "../client-settings.ts";
import { type Ask, createAsk } from "../control-call.ts";
import { topicPolicy } from "./access-policies.ts";

export interface TopicCalls {
  client: SNSClient;
  ask: Ask;
}

export interface TopicSubscription {
  /** Absent while it is not confirmed. */
  arn: string | undefined;
  protocol: string;
  endpoint: string;
}

export function topicCalls(region: string, endpoint: string | undefined): TopicCalls {
  const timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };
  const client = new SNSClient(clientSettings({ service: "sns", region, endpoint, timeouts }));
  return { client, ask: createAsk(timeouts.requestMs) };
}

/** Answers with the same ARN when there is one already. Attributes are set apart: SNS refuses to change them here. */
export async function createTopic({ client, ask }: TopicCalls, name: string): Promise<string> {
  const command = new CreateTopicCommand({ Name: name });
  const { TopicArn } = await ask((deadline) => client.send(command, deadline));
  if (TopicArn === undefined) throw new ProviderError("unavailable", "SNS told no ARN of the topic.", undefined);
  return TopicArn;
}

/** Version 1, the default, is SHA-1. */
export function signWithSha256(calls: TopicCalls, topicArn: string): Promise<"done"> {
  return setAttribute(calls, topicArn, "SignatureVersion", "2");
}

export function allowPublishing(calls: TopicCalls, topicArn: string, configurationSetName: string): Promise<"done"> {
  return setAttribute(calls, topicArn, "Policy", JSON.stringify(topicPolicy(topicArn, configurationSetName)));
}

/** Answers with the same ARN when there is one already; a queue of the same account needs no confirmation. */
export async function subscribeQueue({ client, ask }: TopicCalls, topicArn: string, queueArn: string): Promise<string> {
  const command = new SubscribeCommand({
    TopicArn: topicArn,
    Protocol: "sqs",
    Endpoint: queueArn,
    ReturnSubscriptionArn: true,
  });
  const { SubscriptionArn } = await ask((deadline) => client.send(command, deadline));
  if (SubscriptionArn === undefined) throw new ProviderError("unavailable", "SNS told no ARN.", undefined);
  return SubscriptionArn;
}

/** An envelope names its topic; raw delivery does not. Subscribing again leaves attributes as they are, so they are set. */
export async function deliverEnvelopes({ client, ask }: TopicCalls, subscriptionArn: string): Promise<"done"> {
  const command = new SetSubscriptionAttributesCommand({
    SubscriptionArn: subscriptionArn,
    AttributeName: "RawMessageDelivery",
    AttributeValue: "false",
  });
  await ask((deadline) => client.send(command, deadline));
  return "done";
}

/** From then on only an authenticated call ends the subscription, and not a link that anyone may follow. */
export async function confirmSubscription({ client, ask }: TopicCalls, topicArn: string, token: string): Promise<void> {
  const command = new ConfirmSubscriptionCommand({
    TopicArn: topicArn,
    Token: token,
    AuthenticateOnUnsubscribe: "true",
  });
  await ask((deadline) => client.send(command, deadline));
}

/** Undefined when there is no such topic. */
export async function findTopicAttributes({ client, ask }: TopicCalls, topicArn: string) {
  const command = new GetTopicAttributesCommand({ TopicArn: topicArn });
  const found = await ask((deadline) => client.send(command, deadline), { NotFoundException: undefined });
  return found?.Attributes;
}

export async function listSubscriptions(
  { client, ask }: TopicCalls,
  topicArn: string,
  after?: string,
): Promise<TopicSubscription[]> {
  const command = new ListSubscriptionsByTopicCommand({ TopicArn: topicArn, NextToken: after });
  const { Subscriptions = [], NextToken } = await ask((deadline) => client.send(command, deadline));
  const page = Subscriptions.map(({ SubscriptionArn = "", Protocol = "", Endpoint = "" }) => ({
    arn: SubscriptionArn.startsWith("arn:") ? SubscriptionArn : undefined,
    protocol: Protocol,
    endpoint: Endpoint,
  }));
  if (NextToken === undefined || NextToken === "") return page;
  return [...page, ...(await listSubscriptions({ client, ask }, topicArn, NextToken))];
}

export async function getSubscriptionAttributes({ client, ask }: TopicCalls, subscriptionArn: string) {
  const command = new GetSubscriptionAttributesCommand({ SubscriptionArn: subscriptionArn });
  const { Attributes = {} } = await ask((deadline) => client.send(command, deadline));
  return Attributes;
}

async function setAttribute(
  { client, ask }: TopicCalls,
  topicArn: string,
  name: string,
  value: string,
): Promise<"done"> {
  const command = new SetTopicAttributesCommand({ TopicArn: topicArn, AttributeName: name, AttributeValue: value });
  await ask((deadline) => client.send(command, deadline));
  return "done";
}
