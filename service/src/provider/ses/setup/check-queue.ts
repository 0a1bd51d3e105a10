import { isSamePolicy, queuePolicy } from "./access-policies.ts";
import { withActionName } from "./aws-action.ts";
import { type Finding, note, ok, problem, setUpAdvice } from "./finding.ts";
import {
  findQueueAttributes,
  findQueueUrl,
  maxReceiveCount,
  type QueueCalls,
  retentionSeconds,
} from "./queue-calls.ts";
import type { SetUpCheckContext } from "./set-up-check-context.ts";
import { getSubscriptionAttributes, listSubscriptions } from "./topic-calls.ts";

export async function checkQueue(context: SetUpCheckContext): Promise<Finding[]> {
  const { options, queues } = context;
  const { queueUrl, topicArn } = options;
  if (queueUrl === undefined) return [];
  const attributes = await withActionName("sqs:GetQueueAttributes", () => findQueueAttributes(queues, queueUrl));
  if (attributes === undefined) return [problem("queue", `there is no queue ${queueUrl}`, setUpAdvice)];
  const { QueueArn = "", Policy, MessageRetentionPeriod, RedrivePolicy, KmsMasterKeyId } = attributes;
  context.queueArn = QueueArn;
  return [
    ok("queue", `queue ${queueUrl}`),
    ...(topicArn === undefined ? [] : [policyFinding(Policy, QueueArn, topicArn)]),
    Number(MessageRetentionPeriod) >= retentionSeconds
      ? ok("queue.retention", "it keeps messages for 14 days")
      : problem("queue.retention", "it keeps messages for less than 14 days", setUpAdvice),
    ...encryptionFindings(KmsMasterKeyId),
    ...(await checkDeadLetterQueue(queues, RedrivePolicy)),
  ];
}

function policyFinding(policy: string | undefined, queueArn: string, topicArn: string): Finding {
  return isSamePolicy(policy, queuePolicy(queueArn, topicArn))
    ? ok("queue.policy", "only the topic may write to it")
    : problem("queue.policy", "its policy does not allow exactly the topic to write to it", setUpAdvice);
}

/** The policy of a key that AWS manages cannot be changed, and it does not let SNS use the key. */
function encryptionFindings(keyId = ""): Finding[] {
  if (!keyId.endsWith("alias/aws/sqs")) return [];
  return [
    problem(
      "queue.encryption",
      "it is encrypted with the key alias/aws/sqs, with which SNS cannot write to it",
      "in the SQS console, choose the encryption SSE-SQS, or a key of your own that sns.amazonaws.com may use",
    ),
  ];
}

async function checkDeadLetterQueue(queues: QueueCalls, redrivePolicy: string | undefined): Promise<Finding[]> {
  const { deadLetterTargetArn = "", maxReceiveCount: tries } = readRedrivePolicy(redrivePolicy);
  const name = deadLetterTargetArn.split(":").at(-1) ?? "";
  if (name === "" || Number(tries) < maxReceiveCount) {
    return [
      problem(
        "queue.dead-letters",
        `it does not move messages to a dead-letter queue after ${maxReceiveCount} tries`,
        setUpAdvice,
      ),
    ];
  }
  const url = await withActionName("sqs:GetQueueUrl", () => findQueueUrl(queues, name));
  if (url === undefined)
    return [problem("queue.dead-letters", `its dead-letter queue ${name} does not exist`, setUpAdvice)];
  const attributes = await withActionName("sqs:GetQueueAttributes", () => findQueueAttributes(queues, url));
  const waiting = Number(attributes?.ApproximateNumberOfMessages ?? 0);
  const redriveAdvice = "inspect them in the SQS console, fix the cause, then start a redrive";
  return [
    ok("queue.dead-letters", `dead-letter queue ${name}`),
    ...(waiting > 0
      ? [
          note(
            "queue.dead-letters",
            `${waiting === 1 ? "1 message waits" : `${waiting} messages wait`} in ${name}`,
            redriveAdvice,
          ),
        ]
      : []),
  ];
}

export async function checkSubscription(context: SetUpCheckContext): Promise<Finding[]> {
  const { options, topics, queueArn } = context;
  const { topicArn, queueUrl } = options;
  if (topicArn === undefined || !context.hasTopic) return [];
  const listed = await withActionName("sns:ListSubscriptionsByTopic", () => listSubscriptions(topics, topicArn));
  if (queueUrl === undefined) return [checkPush(listed.filter(({ protocol }) => /^https?$/.test(protocol)))];
  if (queueArn === undefined) return [];
  const ours = listed.find(({ endpoint }) => endpoint === queueArn);
  if (ours === undefined) return [problem("subscription", "the topic does not write to the queue", setUpAdvice)];
  const { arn } = ours;
  if (arn === undefined)
    return [problem("subscription", "the subscription of the queue is not confirmed", setUpAdvice)];
  const attributes = await withActionName("sns:GetSubscriptionAttributes", () =>
    getSubscriptionAttributes(topics, arn),
  );
  return [
    (attributes.FilterPolicy ?? "") === ""
      ? ok("subscription", "the topic writes to the queue")
      : problem(
          "subscription.filter",
          "a filter policy keeps events from the queue",
          "remove it from the subscription in the SNS console",
        ),
    ...(attributes.RawMessageDelivery === "true"
      ? [
          note(
            "subscription.raw",
            "it writes messages without envelopes, so Postern cannot check their topic",
            setUpAdvice,
          ),
        ]
      : []),
  ];
}

function checkPush(endpoints: { arn: string | undefined }[]): Finding {
  const count = endpoints.filter(({ arn }) => arn !== undefined).length;
  return count > 0
    ? note(
        "subscription",
        "AWS_FEEDBACK_QUEUE_URL is not set: events arrive by push only",
        "add a queue, which keeps events through longer outages; see docs/feedback.md",
      )
    : problem(
        "subscription",
        "AWS_FEEDBACK_QUEUE_URL is not set, and the topic has no push subscription",
        `${setUpAdvice} and put the lines that it prints into .env`,
      );
}

function readRedrivePolicy(text: string | undefined): {
  deadLetterTargetArn?: string;
  maxReceiveCount?: number | string;
} {
  return text === undefined || text === "" ? {} : JSON.parse(text);
}
