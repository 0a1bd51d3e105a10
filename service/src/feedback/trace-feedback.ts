import type { Queryable } from "../db/database.ts";
import type { Feedback } from "../provider/feedback.ts";
import { findTraces } from "../sends/find-traces.ts";
import { isTracing, recordLaterSpan } from "../tracing.ts";
import type { AppliedFeedback } from "./apply-feedback.ts";

/** Reports are applied in sets, so each gets a span with the times of its set. Without an SDK this only runs the work (docs/traces.md). */
export async function traceFeedback(
  db: Queryable,
  reports: Feedback[],
  apply: () => Promise<AppliedFeedback>,
): Promise<AppliedFeedback> {
  if (!isTracing()) return apply();
  const startedAt = Date.now();
  const applied = await apply();
  const times = { startedAt, endedAt: Date.now() };
  const traces = await findTraces(db, [...new Set(reports.flatMap(({ sendId }) => sendId ?? []))]);
  for (const [index, { kind, sendId, attempt }] of reports.entries()) {
    const parent = traces.get(sendId ?? "");
    const verdict = applied.verdicts[index];
    if (parent === undefined || sendId === undefined || verdict === undefined) continue;
    const attributes = {
      "postern.send.id": sendId,
      "postern.feedback.kind": kind,
      "postern.feedback.verdict": verdict,
      ...(attempt !== undefined && { "postern.attempt": attempt }),
    };
    recordLaterSpan("feedback", { kind: "CONSUMER", parent, attributes }, times);
  }
  return applied;
}
