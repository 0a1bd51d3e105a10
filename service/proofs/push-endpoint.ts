import { SubscribeCommand } from "@aws-sdk/client-sns";
import { topicCalls } from "../src/provider/ses/setup/topic-calls.ts";
import { type FeedbackCell, healthOf } from "./feedback-cell.ts";
import { until } from "./until.ts";

/** Lets SNS push to this API as well; the API answers the question of SNS by itself. */
export async function openPushEndpoint({ simulator, topicArn }: FeedbackCell, apiUrl: string): Promise<void> {
  const { client } = topicCalls(simulator.region, simulator.url);
  const Endpoint = `${apiUrl}/api/v1/feedback/ses`;
  await client.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: "http", Endpoint }));
  client.destroy();
  await until("the push is confirmed", 20, async () => (await healthOf(simulator)).pendingPushes === 0);
}
