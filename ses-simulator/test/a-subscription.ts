import { ConfirmSubscriptionCommand, PublishCommand, SubscribeCommand } from "@aws-sdk/client-sns";
import type { anEndpoint } from "./an-endpoint.ts";
import type { RunningSimulator } from "./use-simulator.ts";

type Endpoint = Awaited<ReturnType<typeof anEndpoint>>;

/** Subscribes and confirms by API call, like Postern. Also returns the confirmation message. */
export async function aSubscription(
  running: RunningSimulator,
  endpoint: Endpoint,
  topicArn: string,
  attributes: Record<string, string> = {},
) {
  const Protocol = new URL(endpoint.url).protocol.slice(0, -1);
  const subscribe = { TopicArn: topicArn, Protocol, Endpoint: endpoint.url, Attributes: attributes };
  const { SubscriptionArn } = await running.sns.send(new SubscribeCommand(subscribe));
  const confirmation = await endpoint.next();
  const confirm = { TopicArn: topicArn, Token: confirmation.body.Token, AuthenticateOnUnsubscribe: "true" };
  const confirmed = await running.sns.send(new ConfirmSubscriptionCommand(confirm));
  return { answered: SubscriptionArn, arn: confirmed.SubscriptionArn ?? "", confirmation };
}

export function publish(running: RunningSimulator, TopicArn: string, Message = "hello", Subject?: string) {
  return running.sns.send(new PublishCommand({ TopicArn, Message, Subject }));
}
