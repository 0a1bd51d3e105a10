import { FeedbackLoop } from "../feedback/feedback-loop.ts";
import type { ReceiveFeedback } from "../feedback/take-feedback.ts";
import { openFeedbackQueue } from "./feedback-sources.ts";
import type { ProcessContext } from "./run-process.ts";

/** Several, because one would wait for each answer of SQS and each commit in turn. */
const receivers = 12;

/** Reads the provider's queue of events in this process, where one is configured. */
export function startFeedback({ config, db, log }: ProcessContext, take: ReceiveFeedback): { stop(): Promise<void> } {
  const queue = openFeedbackQueue(config);
  if (queue === undefined) {
    log.warn({ missing: "AWS_FEEDBACK_QUEUE_URL" }, "feedback.no-queue");
    return { stop: async () => undefined };
  }
  const loop = new FeedbackLoop({ db, mode: "live", queue, take, receivers, log });
  loop.start();
  return loop;
}
