import type { Config } from "../config.ts";
import type { Queryable } from "../db/database.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { createFeedbackReceiver, type ReceiveFeedback } from "../feedback/take-feedback.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { FeedbackPush, FeedbackQueue } from "../provider/feedback.ts";
import { createFeedbackPush } from "../provider/ses/feedback/feedback-push.ts";
import { createSqsQueue } from "../provider/ses/feedback/sqs-queue.ts";

interface FeedbackContext {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

/** Writes what comes through either door; both may be open at once. */
export async function openFeedbackReceiver({ db, log, metrics }: FeedbackContext): Promise<ReceiveFeedback> {
  return createFeedbackReceiver({ db, log, metrics, mode: "live", clock: await openDatabaseClock(db) });
}

/** Undefined until `postern aws setup` has been run and its topic is configured. */
export function openFeedbackPush({ provider }: Config): FeedbackPush | undefined {
  const { feedbackTopicArn, region, endpoints, kind } = provider;
  if (feedbackTopicArn === undefined) return undefined;
  return createFeedbackPush({
    region,
    endpoint: endpoints.sns,
    topicArns: [feedbackTopicArn],
    ...(kind === "simulator" && { certificateOrigin: endpoints.sns }),
  });
}

/** Undefined where no queue is configured: then notifications have to be pushed. */
export function openFeedbackQueue({ provider }: Config): FeedbackQueue | undefined {
  const { feedbackTopicArn, feedbackQueueUrl, region, endpoints } = provider;
  if (feedbackTopicArn === undefined || feedbackQueueUrl === undefined) return undefined;
  return createSqsQueue({ region, endpoint: endpoints.sqs, queueUrl: feedbackQueueUrl, topicArns: [feedbackTopicArn] });
}
