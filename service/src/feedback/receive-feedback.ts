import { createBatch } from "../db/batch.ts";
import type { Queryable } from "../db/database.ts";
import type { DatabaseClock } from "../db/database-clock.ts";
import { noteReportedSubmissions } from "../in-doubt/feedback-progress.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Mode } from "../mode.ts";
import type { Feedback, FeedbackReading } from "../provider/feedback.ts";
import { applyFeedback } from "./apply-feedback.ts";
import { detectLostRecord } from "./lost-record.ts";
import { type QuarantineReason, quarantine } from "./quarantine-store.ts";
import { traceFeedback } from "./trace-feedback.ts";

export interface FeedbackDeps {
  db: Queryable;
  clock: DatabaseClock;
  mode: Mode;
  log: Log;
  metrics: Metrics;
}

type Verdict = "applied" | "moved" | "ignored" | "discarded" | QuarantineReason;

/** Handles one message of the provider. Resolves when the message can be deleted: it is applied, quarantined, discarded or irrelevant. */
export type ReceiveFeedback = (reading: FeedbackReading, raw: string) => Promise<Verdict>;

/** Messages that arrive while a set is being stored go with the next set, whichever feedback source they come from. */
export function createFeedbackReceiver(deps: FeedbackDeps): ReceiveFeedback {
  const apply = createBatch({
    run: (reports: Feedback[]) => applyAndLog(deps, reports),
    maxItems: 200,
    maxBytes: 4 * 1024 * 1024,
    sizeOf: (feedback) => 500 + feedback.recipients.length * 100,
  });
  return async (reading, raw) => {
    const verdict = await classify(deps, apply, reading);
    if (!isSettled(verdict)) await quarantine(deps.db, [{ reason: verdict, raw }]);
    deps.metrics.feedbackReceived.inc({ kind: reading.kind, verdict });
    if (verdict === "applied" && "at" in reading) measureDelay(deps, reading);
    return verdict;
  };
}

/** Repeated events and those of a backlog count too: they show how late Postern learns of an event. */
function measureDelay({ metrics, clock }: FeedbackDeps, { kind, at }: Feedback): void {
  const seconds = (clock.now() - Date.parse(at)) / 1000;
  if (Number.isFinite(seconds)) metrics.feedbackDelaySeconds.observe({ kind }, Math.max(0, seconds));
}

type Settled = Exclude<Verdict, QuarantineReason>;

/** Nothing is left to do with the message. `moved`: it is stored for another cell. `discarded`: the record of its send is dropped. */
export function isSettled(verdict: Verdict): verdict is Settled {
  return verdict === "applied" || verdict === "moved" || verdict === "ignored" || verdict === "discarded";
}

async function classify(
  { log }: FeedbackDeps,
  apply: (feedback: Feedback) => Promise<Verdict>,
  reading: FeedbackReading,
): Promise<Verdict> {
  if (reading.kind === "ignored") return "ignored";
  if (reading.kind === "unreadable") {
    log.warn({ reason: reading.reason }, "feedback.unreadable");
    return "unreadable";
  }
  return apply(reading);
}

async function applyAndLog(deps: FeedbackDeps, reports: Feedback[]): Promise<Verdict[]> {
  const { db, clock, mode, log, metrics } = deps;
  const started = performance.now();
  const nowMs = clock.now();
  const applied = await traceFeedback(db, reports, () => applyFeedback(db, reports, nowMs));
  if (mode === "live") await detectLostRecord(deps, { reports, applied, nowMs });
  // A report that is stored for another cell shows as well how far the source is read.
  const submissions = reports.filter(
    ({ kind }, index) => kind === "send" && ["applied", "moved"].includes(applied.verdicts[index] ?? ""),
  );
  const [latest] = submissions
    .map((report) => report.submittedAt)
    .toSorted()
    .toReversed();
  if (latest !== undefined) await noteReportedSubmissions(db, mode, latest);
  for (const sendId of applied.doubled) log.error({ send_id: sendId }, "delivery.doubled");
  metrics.sendsDoubled.inc(applied.doubled.length);
  const { newEvents, newSuppressions, confirmed } = applied;
  const moved = applied.verdicts.filter((verdict) => verdict === "moved").length;
  const facts = { reports: reports.length, moved, events: newEvents, suppressions: newSuppressions, confirmed };
  log.info({ ...facts, duration_ms: Math.round(performance.now() - started) }, "feedback.applied");
  return applied.verdicts;
}
