import { FeedbackLoop } from "../feedback/feedback-loop.ts";
import type { ReceiveFeedback } from "../feedback/receive-feedback.ts";
import { openFeedbackQueue } from "./feedback-sources.ts";
import type { ProcessContext } from "./run-process.ts";

/** Several receivers overlap the waits for SQS and for commits. */
const receivers = 12;

/** Reads the feedback queue of the provider in this process, if a queue is configured. */
export function startFeedback(
  { config, db, log }: ProcessContext,
  receive: ReceiveFeedback,
): { stop(): Promise<void> } {
  const queue = openFeedbackQueue(config);
  if (queue === undefined) {
    log.warn({ missing: "AWS_FEEDBACK_QUEUE_URL" }, "feedback.no-queue");
    return { stop: async () => undefined };
  }
  const loop = new FeedbackLoop({ db, mode: "live", queue, receive, receivers, log });
  loop.start();
  return loop;
}
