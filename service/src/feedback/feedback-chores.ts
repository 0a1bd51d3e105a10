import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import type { FeedbackReading } from "../provider/feedback.ts";
import { noteFeedbackGap, readFeedbackState } from "./feedback-gap.ts";
import { dropOldQuarantined, postponeQuarantined, releaseQuarantined, takeDueQuarantined } from "./quarantine-store.ts";
import { isSettled, type ReceiveFeedback } from "./receive-feedback.ts";

const batchSize = 100;
const dropBatchSize = 500;
const maxDropMs = 60_000;

interface QuarantineDeps {
  db: Queryable;
  log: Log;
  receive: ReceiveFeedback;
  /** Reads the text of a message again. */
  read: (raw: string) => FeedbackReading;
}

interface FeedbackGapDeps {
  db: Queryable;
  log: Log;
  feedback: { feedbackGapSeconds: number; hasFeedbackQueue: boolean };
}

export function feedbackChores(deps: QuarantineDeps & FeedbackGapDeps): Chore[] {
  return [
    { name: "retry-quarantined", pauseSeconds: 10, run: () => retryQuarantined(deps) },
    { name: "drop-old-quarantined", pauseSeconds: 3600, run: () => dropQuarantined(deps) },
    { name: "watch-feedback", pauseSeconds: 60, run: () => watchFeedback(deps) },
  ];
}

/** Stops after a minute, long before the chore's 10-minute limit. */
export async function dropQuarantined({ db, log }: Pick<QuarantineDeps, "db" | "log">): Promise<void> {
  const endsAt = performance.now() + maxDropMs;
  let rows = 0;
  for (let after: number | null = 0; after !== null && performance.now() < endsAt; ) {
    const batch = await dropOldQuarantined(db, after, dropBatchSize);
    rows += batch.rows;
    after = batch.lastOldId;
  }
  if (rows > 0) log.info({ rows }, "feedback.quarantine-dropped");
}

/** Logs once when feedback is missing, and once when it has resumed. */
export async function watchFeedback({ db, log, feedback }: FeedbackGapDeps): Promise<void> {
  const { gap, lastReportSecondsAgo, polledSecondsAgo } = await readFeedbackState(db, "live", feedback);
  // crash point: feedback-gap-read
  if (!(await noteFeedbackGap(db, "live", gap !== null))) return;
  const facts = { last_report_seconds_ago: lastReportSecondsAgo, polled_seconds_ago: polledSecondsAgo };
  if (gap === null) log.info(facts, "feedback.resumed");
  else log.error({ reason: gap, gap_seconds: feedback.feedbackGapSeconds, ...facts }, "feedback.missing");
}

/** Feedback about an unknown send may have arrived before the send was committed, or before a restore was complete. */
export async function retryQuarantined({ db, log, receive, read }: QuarantineDeps): Promise<void> {
  for (;;) {
    const due = await takeDueQuarantined(db, batchSize);
    const verdicts = await Promise.allSettled(due.map(({ raw }) => receive(read(raw), raw)));
    const isDone = (verdict: (typeof verdicts)[number] | undefined) =>
      verdict?.status === "fulfilled" && isSettled(verdict.value);
    const applied = due.filter((_, index) => isDone(verdicts[index])).map(({ id }) => id);
    const left = due.filter((_, index) => !isDone(verdicts[index])).map(({ id }) => id);
    const [failure] = verdicts.filter((verdict) => verdict.status === "rejected");
    if (failure !== undefined) log.error({ err: failure.reason }, "feedback.quarantine-failed");
    // crash point: quarantine-applied
    await releaseQuarantined(db, applied);
    await postponeQuarantined(db, left);
    if (due.length > 0) log.info({ tried: due.length, applied: applied.length }, "feedback.quarantine-retried");
    if (due.length < batchSize) return;
  }
}
