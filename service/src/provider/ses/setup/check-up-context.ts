import { configurationSetNameOf } from "../../cell-names.ts";
import type { AwsActionError } from "./aws-action.ts";
import { createPace, type Pace } from "./call-pace.ts";
import { type QueueCalls, queueCalls } from "./queue-calls.ts";
import { type SetUpCalls, setUpCalls } from "./set-up-calls.ts";
import { type TopicCalls, topicCalls } from "./topic-calls.ts";

export interface CheckUpOptions {
  cellCode: string;
  region: string;
  endpoints: { ses: string | undefined; sns: string | undefined; sqs: string | undefined };
  /** Between two requests to SES. */
  pauseMs: number;
  topicArn: string | undefined;
  queueUrl: string | undefined;
}

export interface Finding {
  /** A note is nothing wrong, but worth knowing. */
  state: "ok" | "note" | "problem";
  what: string;
  /** How to mend it; or the call that failed, which tells that as well. */
  advice?: string | AwsActionError;
}

export const setUpAgain = "run `postern aws setup`";

/** What the checks share. */
export interface CheckUpContext {
  options: CheckUpOptions;
  setName: string;
  pace: Pace;
  ses: SetUpCalls;
  topics: TopicCalls;
  queues: QueueCalls;
  /** Where one thing is missing, nothing is said of what hangs on it. */
  hasConfigurationSet: boolean;
  hasTopic: boolean;
  queueArn: string | undefined;
}

export function contextOf(options: CheckUpOptions): CheckUpContext {
  const { cellCode, region, endpoints } = options;
  return {
    options,
    setName: configurationSetNameOf(cellCode),
    pace: createPace(options.pauseMs),
    ses: setUpCalls(region, endpoints.ses),
    topics: topicCalls(region, endpoints.sns),
    queues: queueCalls(region, endpoints.sqs),
    hasConfigurationSet: true,
    hasTopic: true,
    queueArn: undefined,
  };
}

export function ok(what: string): Finding {
  return { state: "ok", what };
}

export function note(what: string, advice: string): Finding {
  return { state: "note", what, advice };
}

export function problem(what: string, advice: string): Finding {
  return { state: "problem", what, advice };
}
