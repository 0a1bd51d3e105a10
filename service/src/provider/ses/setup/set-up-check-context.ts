import { configurationSetNameOf } from "../../cell-names.ts";
import { createRateLimit, type RateLimit } from "./call-rate-limit.ts";
import { type QueueCalls, queueCalls } from "./queue-calls.ts";
import { type SetUpCalls, setUpCalls } from "./set-up-calls.ts";
import { type TopicCalls, topicCalls } from "./topic-calls.ts";

export interface SetUpCheckOptions {
  cellCode: string;
  region: string;
  endpoints: { ses: string | undefined; sns: string | undefined; sqs: string | undefined };
  /** Between two requests to SES. */
  pauseMs: number;
  topicArn: string | undefined;
  queueUrl: string | undefined;
  /** SES_TENANTS is not off. */
  hasTenants?: boolean;
}

/** The checks run in order and share this context. */
export interface SetUpCheckContext {
  options: SetUpCheckOptions;
  setName: string;
  rateLimited: RateLimit;
  ses: SetUpCalls;
  topics: TopicCalls;
  queues: QueueCalls;
  /** A check skips its findings when an earlier check found that the resource it depends on is missing. */
  hasConfigurationSet: boolean;
  hasTopic: boolean;
  queueArn: string | undefined;
}

export function createSetUpCheckContext(options: SetUpCheckOptions): SetUpCheckContext {
  const { cellCode, region, endpoints } = options;
  return {
    options,
    setName: configurationSetNameOf(cellCode),
    rateLimited: createRateLimit(options.pauseMs),
    ses: setUpCalls(region, endpoints.ses),
    topics: topicCalls(region, endpoints.sns),
    queues: queueCalls(region, endpoints.sqs),
    hasConfigurationSet: true,
    hasTopic: true,
    queueArn: undefined,
  };
}
