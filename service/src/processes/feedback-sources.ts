import type { WorkerConfig } from "../config.ts";
import type { Queryable } from "../db/database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createFeedbackReceiver, type ReceiveFeedback } from "../feedback/receive-feedback.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { FeedbackPush, FeedbackQueue, QueueCounts } from "../provider/feedback.ts";
import { createMessageCounter } from "../provider/ses/feedback/count-messages.ts";
import { createFeedbackPush } from "../provider/ses/feedback/feedback-push.ts";
import { createSqsQueue } from "../provider/ses/feedback/sqs-queue.ts";

interface FeedbackContext {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

/** Applies notifications of both sources, SNS push and the SQS queue; both can be in use together. */
export async function openFeedbackReceiver({ db, log, metrics }: FeedbackContext): Promise<ReceiveFeedback> {
  return createFeedbackReceiver({ db, log, metrics, mode: "live", clock: await openDatabaseClock(db) });
}

/** Undefined until AWS_FEEDBACK_TOPIC_ARN, which `postern aws setup` prints, is set, and while FEEDBACK_PUSH is off. */
export function openFeedbackPush({ provider }: WorkerConfig): FeedbackPush | undefined {
  const { feedbackTopicArn, isPushOpen, region, endpoints, kind } = provider;
  if (feedbackTopicArn === undefined || !isPushOpen) return undefined;
  return createFeedbackPush({
    region,
    endpoint: endpoints.sns,
    topicArns: [feedbackTopicArn],
    ...(kind === "simulator" && { certificateOrigin: endpoints.sns }),
  });
}

/** Undefined when no queue is configured: then SNS has to push the notifications to the API. */
export function openFeedbackQueue({ provider }: WorkerConfig): FeedbackQueue | undefined {
  const { feedbackTopicArn, feedbackQueueUrl, region, endpoints } = provider;
  if (feedbackTopicArn === undefined || feedbackQueueUrl === undefined) return undefined;
  return createSqsQueue({ region, endpoint: endpoints.sqs, queueUrl: feedbackQueueUrl, topicArns: [feedbackTopicArn] });
}

/** Undefined when no queue is configured. */
export function openMessageCounter({ provider }: WorkerConfig): (() => Promise<QueueCounts>) | undefined {
  const { feedbackTopicArn, feedbackQueueUrl: queueUrl, region, endpoints } = provider;
  if (feedbackTopicArn === undefined || queueUrl === undefined) return undefined;
  return createMessageCounter({ region, endpoint: endpoints.sqs, queueUrl });
}
