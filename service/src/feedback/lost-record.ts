import type { Queryable } from "../db/database.ts";
import { declareFailover } from "../in-doubt/failover-store.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Feedback } from "../provider/feedback.ts";
import { timeOfSendId } from "../sends/send-id.ts";
import type { AppliedFeedback } from "./apply-feedback.ts";

interface LostRecordDeps {
  db: Queryable;
  log: Log;
  metrics: Metrics;
}

const dayMs = 86_400_000;

/**
 * A claim is committed before the hand-over, so feedback about an attempt or a send that the record does not have means that
 * the record is an older copy: a backup that was put back without a new timeline shows in no other way. An attempt that was
 * never claimed is proof. A young send that is unknown is a strong sign, but also what two installations would see that
 * share one queue by mistake, so it stops mail at most once a day.
 */
export async function detectLostRecord(
  { db, log, metrics }: LostRecordDeps,
  { given, applied, nowMs }: { given: Feedback[]; applied: AppliedFeedback; nowMs: number },
): Promise<void> {
  const isUnknown = given.some(
    ({ kind, sendId }, index) =>
      kind === "send" &&
      applied.verdicts[index] === "unknown-send" &&
      sendId !== undefined &&
      timeOfSendId(sendId) > nowMs - dayMs,
  );
  const unexplainedSince = applied.aheadAt ?? (isUnknown ? new Date(nowMs - dayMs).toISOString() : undefined);
  if (unexplainedSince === undefined) return;
  const change = await declareFailover(db, "feedback", unexplainedSince);
  if (change === undefined) return;
  metrics.failovers.inc({ cause: change.cause });
  const sign = applied.aheadAt === undefined ? "unknown send" : "unknown attempt";
  log.error({ ...change, sign, see: "docs/runbook.md, after a restore or failover" }, "database.failover-detected");
}
