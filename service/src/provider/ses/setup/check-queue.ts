import { isSamePolicy, queuePolicy } from "./access-policies.ts";
import { naming } from "./aws-action.ts";
import { type CheckUpContext, type Finding, note, ok, problem, setUpAgain } from "./check-up-context.ts";
import {
  findQueueAttributes,
  findQueueUrl,
  maxReceiveCount,
  type QueueCalls,
  retentionSeconds,
} from "./queue-calls.ts";
import { getSubscriptionAttributes, listSubscriptions } from "./topic-calls.ts";

export async function checkQueue(context: CheckUpContext): Promise<Finding[]> {
  const { options, queues } = context;
  const { queueUrl, topicArn = "" } = options;
  if (queueUrl === undefined) return [];
  const attributes = await naming("sqs:GetQueueAttributes", () => findQueueAttributes(queues, queueUrl));
  if (attributes === undefined) return [problem(`there is no queue ${queueUrl}`, setUpAgain)];
  const { QueueArn = "", Policy, MessageRetentionPeriod, RedrivePolicy } = attributes;
  context.queueArn = QueueArn;
  return [
    ok(`queue ${queueUrl}`),
    isSamePolicy(Policy, queuePolicy(QueueArn, topicArn))
      ? ok("only the topic may write to it")
      : problem("its policy is not the one that lets the topic in, and nobody else", setUpAgain),
    Number(MessageRetentionPeriod) >= retentionSeconds
      ? ok("it keeps messages for 14 days")
      : problem("it keeps messages for less than 14 days", setUpAgain),
    ...(await checkDeadQueue(queues, RedrivePolicy)),
  ];
}

async function checkDeadQueue(queues: QueueCalls, redrivePolicy: string | undefined): Promise<Finding[]> {
  const { deadLetterTargetArn = "", maxReceiveCount: tries } = readRedrivePolicy(redrivePolicy);
  const name = deadLetterTargetArn.split(":").at(-1) ?? "";
  if (name === "" || Number(tries) < maxReceiveCount) {
    return [problem(`it has no dead-letter queue that takes messages after ${maxReceiveCount} tries`, setUpAgain)];
  }
  const url = await naming("sqs:GetQueueUrl", () => findQueueUrl(queues, name));
  if (url === undefined) return [problem(`its dead-letter queue ${name} does not exist`, setUpAgain)];
  const attributes = await naming("sqs:GetQueueAttributes", () => findQueueAttributes(queues, url));
  const waiting = Number(attributes?.ApproximateNumberOfMessages ?? 0);
  const lookAtThem = "look at them in the SQS console and start a redrive when the cause is mended";
  return [
    ok(`dead-letter queue ${name}`),
    ...(waiting > 0
      ? [note(`${waiting === 1 ? "1 message waits" : `${waiting} messages wait`} in ${name}`, lookAtThem)]
      : []),
  ];
}

export async function checkSubscription(context: CheckUpContext): Promise<Finding[]> {
  const { options, topics, queueArn } = context;
  const { topicArn, queueUrl } = options;
  if (topicArn === undefined || !context.hasTopic) return [];
  const listed = await naming("sns:ListSubscriptionsByTopic", () => listSubscriptions(topics, topicArn));
  if (queueUrl === undefined) return [checkPush(listed.filter(({ protocol }) => /^https?$/.test(protocol)))];
  if (queueArn === undefined) return [];
  const ours = listed.find(({ endpoint }) => endpoint === queueArn);
  if (ours === undefined) return [problem("the topic does not write to the queue", setUpAgain)];
  const { arn } = ours;
  if (arn === undefined) return [problem("the subscription of the queue is not confirmed", setUpAgain)];
  const attributes = await naming("sns:GetSubscriptionAttributes", () => getSubscriptionAttributes(topics, arn));
  return [
    (attributes.FilterPolicy ?? "") === ""
      ? ok("the topic writes to the queue")
      : problem(
          "a filter policy holds events back from the queue",
          "remove it from the subscription in the SNS console",
        ),
    ...(attributes.RawMessageDelivery === "true"
      ? [note("without envelopes: their topic is not compared", setUpAgain)]
      : []),
  ];
}

function checkPush(endpoints: { arn: string | undefined }[]): Finding {
  const count = endpoints.filter(({ arn }) => arn !== undefined).length;
  return count > 0
    ? note(
        "AWS_FEEDBACK_QUEUE_URL is not set: events only come by push",
        "a queue survives longer outages; see docs/feedback.md",
      )
    : problem(
        "AWS_FEEDBACK_QUEUE_URL is not set, and nothing is pushed either",
        `${setUpAgain} and put what it prints into .env`,
      );
}

function readRedrivePolicy(text: string | undefined): {
  deadLetterTargetArn?: string;
  maxReceiveCount?: number | string;
} {
  return text === undefined || text === "" ? {} : JSON.parse(text);
}
