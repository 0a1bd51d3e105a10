import { SubscribeCommand } from "@aws-sdk/client-sns";
import { topicCalls } from "../../src/provider/ses/setup/topic-calls.ts";
import { until } from "../until.ts";
import { type FeedbackCell, healthOf } from "./feedback-cell.ts";

/** Subscribes this API to the topic, so that SNS also pushes events to it. The API confirms the subscription itself. */
export async function subscribePushEndpoint({ simulator, topicArn }: FeedbackCell, apiUrl: string): Promise<void> {
  const { client } = topicCalls(simulator.region, simulator.url);
  const Endpoint = `${apiUrl}/api/v1/feedback/ses`;
  await client.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint }));
  client.destroy();
  await until("the push is confirmed", 20, async () => (await healthOf(simulator)).pendingPushes === 0);
}
