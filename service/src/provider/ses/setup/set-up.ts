import { configurationSetNameOf, deadQueueNameOf, queueNameOf, topicNameOf } from "../../cell-names.ts";
import type { EmailProvider } from "../../email-provider.ts";
import { createSesProvider } from "../ses-provider.ts";
import { naming } from "./aws-action.ts";
import { createPace, type Pace } from "./call-pace.ts";
import { createQueue, keepLong, type QueueArns, type QueueCalls, queueCalls, takeFromTopic } from "./queue-calls.ts";
import { restoreEventDestination, type SetUpCalls, setUpCalls, switchSuppressionOff } from "./set-up-calls.ts";
import {
  allowPublishing,
  createTopic,
  deliverEnvelopes,
  signWithSha256,
  subscribeQueue,
  type TopicCalls,
  topicCalls,
} from "./topic-calls.ts";

export interface SetUpOptions {
  cellCode: string;
  region: string;
  endpoints: { ses: string | undefined; sns: string | undefined; sqs: string | undefined };
  /** Between two requests to SES. */
  pauseMs: number;
}

export interface SetUpStep {
  what: string;
  /** What the credentials must be allowed to do. */
  action: string;
}

export type DoneStep = SetUpStep & { outcome: "done" | "created" | "exists" };

export interface SetUpResult {
  topicArn: string;
  queueUrl: string;
}

export function plannedSteps(cellCode: string): SetUpStep[] {
  return stepsFor(cellCode).map(({ what, action }) => ({ what, action }));
}

/** Yields each step when it is done. Every step may be repeated, so a broken run is run again. */
export async function* setUp(options: SetUpOptions): AsyncGenerator<DoneStep, SetUpResult> {
  const context = contextOf(options);
  for (const { what, action, run } of stepsFor(options.cellCode)) {
    yield { what, action, outcome: await naming(action, () => run(context)) };
  }
  return { topicArn: context.topicArn, queueUrl: context.queueUrl };
}

interface CheckUpContext {
  options: SetUpOptions;
  pace: Pace;
  ses: SetUpCalls;
  topics: TopicCalls;
  queues: QueueCalls;
  /** Known after their steps. */
  topicArn: string;
  deadQueueUrl: string;
  queueUrl: string;
  subscriptionArn: string;
}

interface Step extends SetUpStep {
  run(context: CheckUpContext): Promise<DoneStep["outcome"]>;
}

function stepsFor(cellCode: string): Step[] {
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

/** Before the configuration set, so that the first event already finds its way. */
function queueSteps(cellCode: string): Step[] {
  const [queue, dead] = [queueNameOf(cellCode), deadQueueNameOf(cellCode)];
  return [
    {
      what: `SQS queue ${dead} for what cannot be applied`,
      action: "sqs:CreateQueue",
      async run(context) {
        context.deadQueueUrl = await createQueue(context.queues, dead);
        return "done";
      },
    },
    {
      what: "it keeps messages for 14 days",
      action: "sqs:SetQueueAttributes",
      run: ({ queues, deadQueueUrl }) => keepLong(queues, deadQueueUrl),
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
      what: `only the topic may write to it; it keeps messages for 14 days, and after 100 tries they go to ${dead}`,
      action: "sqs:SetQueueAttributes",
      run: ({ queues, queueUrl, topicArn }) => takeFromTopic(queues, queueUrl, arnsOf(topicArn, queue, dead)),
    },
    {
      what: "the topic writes to the queue",
      action: "sns:Subscribe",
      async run(context) {
        const { queue: queueArn } = arnsOf(context.topicArn, queue, dead);
        context.subscriptionArn = await subscribeQueue(context.topics, context.topicArn, queueArn);
        return "done";
      },
    },
    {
      what: "with an envelope that names the topic",
      action: "sns:SetSubscriptionAttributes",
      run: ({ topics, subscriptionArn }) => deliverEnvelopes(topics, subscriptionArn),
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
        const made = await context.pace(() => providerOf(context).createConfigurationSet(set));
        if (made === "exists") {
          const action = "ses:PutConfigurationSetSuppressionOptions";
          await naming(action, () => context.pace(() => switchSuppressionOff(context.ses, set)));
        }
        return made;
      },
    },
    {
      what: "its events go to the topic",
      action: "ses:CreateConfigurationSetEventDestination",
      async run(context) {
        const made = await context.pace(() => providerOf(context).createEventDestination(set, context.topicArn));
        if (made === "exists") {
          const action = "ses:UpdateConfigurationSetEventDestination";
          await naming(action, () => context.pace(() => restoreEventDestination(context.ses, set, context.topicArn)));
        }
        return made;
      },
    },
  ];
}

function contextOf(options: SetUpOptions): CheckUpContext {
  const { region, endpoints } = options;
  return {
    options,
    pace: createPace(options.pauseMs),
    ses: setUpCalls(region, endpoints.ses),
    topics: topicCalls(region, endpoints.sns),
    queues: queueCalls(region, endpoints.sqs),
    topicArn: "",
    deadQueueUrl: "",
    queueUrl: "",
    subscriptionArn: "",
  };
}

/** Topic and queues are of one account and region. */
function arnsOf(topicArn: string, queue: string, dead: string): QueueArns {
  const [, partition, , region, accountId] = topicArn.split(":");
  const prefix = `arn:${partition}:sqs:${region}:${accountId}:`;
  return { topic: topicArn, queue: `${prefix}${queue}`, dead: `${prefix}${dead}` };
}

function providerOf({ options: { region, endpoints }, topicArn }: CheckUpContext): EmailProvider {
  const [, partition = "", , , accountId = ""] = topicArn.split(":");
  return createSesProvider({ region, endpoint: endpoints.ses, accountId, partition });
}
