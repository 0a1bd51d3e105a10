import { configurationSetNameOf, deadLetterQueueNameOf, queueNameOf, topicNameOf } from "../../cell-names.ts";
import type { EmailProvider } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { withActionName } from "./aws-action.ts";
import { configureQueue, createQueue, type QueueArns, setRetention } from "./queue-calls.ts";
import { disableSuppression, resetEventDestination } from "./set-up-calls.ts";
import type { DoneStep, SetUpContext, SetUpStep } from "./set-up-context.ts";
import { allowPublishing, createTopic, disableRawDelivery, signWithSha256, subscribeQueue } from "./topic-calls.ts";

interface Step extends SetUpStep {
  run(context: SetUpContext): Promise<DoneStep["outcome"]>;
}

/** The queue comes before the configuration set, so that the queue receives the very first event. */
export function stepsFor(cellCode: string): Step[] {
  return [...topicSteps(cellCode), ...queueSteps(cellCode), ...configurationSetSteps(cellCode)];
}

function topicSteps(cellCode: string): Step[] {
  const [topic, set] = [topicNameOf(cellCode), configurationSetNameOf(cellCode)];
  return [
    {
      what: `SNS topic ${topic}`,
      action: "sns:CreateTopic",
      async run(context) {
        context.topicArn = await createTopic(context.topics, topic);
        return "done";
      },
    },
    {
      what: "its messages are signed with SHA-256 (SignatureVersion 2)",
      action: "sns:SetTopicAttributes",
      run: ({ topics, topicArn }) => signWithSha256(topics, topicArn),
    },
    {
      what: `only SES may publish to it, for configuration set ${set}`,
      action: "sns:SetTopicAttributes",
      run: ({ topics, topicArn }) => allowPublishing(topics, topicArn, set),
    },
  ];
}

function queueSteps(cellCode: string): Step[] {
  const [queue, deadLetterQueue] = [queueNameOf(cellCode), deadLetterQueueNameOf(cellCode)];
  return [
    {
      what: `SQS dead-letter queue ${deadLetterQueue}`,
      action: "sqs:CreateQueue",
      async run(context) {
        context.deadLetterQueueUrl = await createQueue(context.queues, deadLetterQueue);
        return "done";
      },
    },
    {
      what: "it keeps messages for 14 days",
      action: "sqs:SetQueueAttributes",
      run: ({ queues, deadLetterQueueUrl }) => setRetention(queues, deadLetterQueueUrl),
    },
    {
      what: `SQS queue ${queue}`,
      action: "sqs:CreateQueue",
      async run(context) {
        context.queueUrl = await createQueue(context.queues, queue);
        return "done";
      },
    },
    {
      what: `only the topic may write to it; it keeps messages for 14 days and moves them to ${deadLetterQueue} after 100 tries`,
      action: "sqs:SetQueueAttributes",
      run: ({ queues, queueUrl, topicArn }) =>
        configureQueue(queues, queueUrl, arnsOf(topicArn, queue, deadLetterQueue)),
    },
    {
      what: "the topic writes to the queue",
      action: "sns:Subscribe",
      async run(context) {
        const { queue: queueArn } = arnsOf(context.topicArn, queue, deadLetterQueue);
        context.subscriptionArn = await subscribeQueue(context.topics, context.topicArn, queueArn);
        return "done";
      },
    },
    {
      what: "with an envelope that names the topic",
      action: "sns:SetSubscriptionAttributes",
      run: ({ topics, subscriptionArn }) => disableRawDelivery(topics, subscriptionArn),
    },
  ];
}

function configurationSetSteps(cellCode: string): Step[] {
  const set = configurationSetNameOf(cellCode);
  return [
    {
      what: `SES configuration set ${set}, without SES's own suppression list`,
      action: "ses:CreateConfigurationSet",
      async run(context) {
        const outcome = await context.rateLimited(() => providerOf(context).createConfigurationSet(set));
        if (outcome === "exists") {
          const action = "ses:PutConfigurationSetSuppressionOptions";
          await withActionName(action, () => context.rateLimited(() => disableSuppression(context.ses, set)));
        }
        return outcome;
      },
    },
    {
      what: "its events go to the topic",
      action: "ses:CreateConfigurationSetEventDestination",
      async run(context) {
        const { ses, topicArn, rateLimited } = context;
        const outcome = await rateLimited(() => providerOf(context).createEventDestination(set, topicArn));
        if (outcome === "exists") {
          const action = "ses:UpdateConfigurationSetEventDestination";
          await withActionName(action, () => rateLimited(() => resetEventDestination(ses, set, topicArn)));
        }
        return outcome;
      },
    },
  ];
}

/** Topic and queues belong to the same account and region. */
function arnsOf(topicArn: string, queue: string, deadLetterQueue: string): QueueArns {
  const [, partition, , region, accountId] = topicArn.split(":");
  const prefix = `arn:${partition}:sqs:${region}:${accountId}:`;
  return { topic: topicArn, queue: `${prefix}${queue}`, deadLetterQueue: `${prefix}${deadLetterQueue}` };
}

function providerOf({ options: { region, endpoints }, topicArn }: SetUpContext): EmailProvider {
  const [, partition = "", , , accountId = ""] = topicArn.split(":");
  return createSesProvider({ region, endpoint: endpoints.ses, accountId, partition });
}
