import { createRateLimit, type RateLimit } from "./call-rate-limit.ts";
import { type QueueCalls, queueCalls } from "./queue-calls.ts";
import { type SetUpCalls, setUpCalls } from "./set-up-calls.ts";
import { type TopicCalls, topicCalls } from "./topic-calls.ts";

export interface SetUpOptions {
  cellCode: string;
  region: string;
  endpoints: { ses: string | undefined; sns: string | undefined; sqs: string | undefined };
  /** Between two requests to SES. */
  pauseMs: number;
}

export interface SetUpStep {
  what: string;
  /** The IAM action that the credentials need. */
  action: string;
}

export type DoneStep = SetUpStep & { outcome: "done" | "created" | "exists" };

export interface SetUpContext {
  options: SetUpOptions;
  rateLimited: RateLimit;
  ses: SetUpCalls;
  topics: TopicCalls;
  queues: QueueCalls;
  /** The step that creates a resource fills in its name for the later steps. */
  topicArn: string;
  deadLetterQueueUrl: string;
  queueUrl: string;
  subscriptionArn: string;
}

export function createSetUpContext(options: SetUpOptions): SetUpContext {
  const { region, endpoints } = options;
  return {
    options,
    rateLimited: createRateLimit(options.pauseMs),
    ses: setUpCalls(region, endpoints.ses),
    topics: topicCalls(region, endpoints.sns),
    queues: queueCalls(region, endpoints.sqs),
    topicArn: "",
    deadLetterQueueUrl: "",
    queueUrl: "",
    subscriptionArn: "",
  };
}
