import {
  ListSubscriptionsByTopicCommand,
  SetSubscriptionAttributesCommand,
  UnsubscribeCommand,
} from "@aws-sdk/client-sns";
import { DeleteQueueCommand, SendMessageCommand, SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { SimulatedAws } from "../../test/simulated-aws.ts";
import { changeNothing, type Fault, setUpFix } from "./fault.ts";
import { anyone } from "./topic-faults.ts";

function queueAttributes(Attributes: Record<string, string>) {
  return ({ sqs, queueUrl: QueueUrl }: SimulatedAws) =>
    sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
}

async function subscriptionArn({ sns, topicArn: TopicArn }: SimulatedAws): Promise<string | undefined> {
  const { Subscriptions = [] } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  return Subscriptions[0]?.SubscriptionArn;
}

export const queueFaults: Fault[] = [
  {
    name: "the queue is deleted",
    inject: ({ sqs, queueUrl: QueueUrl }) => sqs.send(new DeleteQueueCommand({ QueueUrl })),
    check: "queue",
    fix: setUpFix,
  },
  {
    name: "the topic may not write to the queue",
    inject: queueAttributes({ Policy: "" }),
    check: "queue.policy",
    fix: setUpFix,
  },
  {
    name: "anyone may write to the queue",
    inject: queueAttributes({ Policy: anyone }),
    check: "queue.policy",
    fix: setUpFix,
  },
  {
    name: "the queue forgets messages after four days",
    inject: queueAttributes({ MessageRetentionPeriod: "345600" }),
    check: "queue.retention",
    fix: setUpFix,
  },
  {
    name: "the queue has no dead-letter queue",
    inject: queueAttributes({ RedrivePolicy: "" }),
    check: "queue.dead-letters",
    fix: setUpFix,
  },
  {
    name: "the dead-letter queue is deleted",
    inject: ({ sqs, queueUrl }) => sqs.send(new DeleteQueueCommand({ QueueUrl: `${queueUrl}-dead` })),
    check: "queue.dead-letters",
    fix: setUpFix,
  },
  {
    name: "a message waits in the dead-letter queue",
    inject: ({ sqs, queueUrl }) => sqs.send(new SendMessageCommand({ QueueUrl: `${queueUrl}-dead`, MessageBody: "x" })),
    check: "queue.dead-letters",
    fix: /redrive/,
    state: "note",
  },
  {
    name: "the queue is encrypted with the key of AWS",
    inject: queueAttributes({ KmsMasterKeyId: "alias/aws/sqs" }),
    check: "queue.encryption",
    fix: /SSE-SQS/,
  },
  {
    name: "the topic does not write to the queue",
    inject: async (aws) => aws.sns.send(new UnsubscribeCommand({ SubscriptionArn: await subscriptionArn(aws) })),
    check: "subscription",
    fix: setUpFix,
  },
  {
    name: "messages have no envelope",
    inject: async (aws) =>
      aws.sns.send(
        new SetSubscriptionAttributesCommand({
          SubscriptionArn: await subscriptionArn(aws),
          AttributeName: "RawMessageDelivery",
          AttributeValue: "true",
        }),
      ),
    check: "subscription.raw",
    fix: setUpFix,
    state: "note",
  },
  {
    name: "AWS_FEEDBACK_QUEUE_URL is not set and there is no push",
    inject: changeNothing,
    settings: { AWS_FEEDBACK_QUEUE_URL: undefined },
    check: "subscription",
    fix: setUpFix,
  },
];
