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
 * Detects from feedback that the database is an older copy of itself. A claim is committed before the submission, so the record must
 * have every attempt that the provider reports. A backup restored without a new timeline shows in no other way.
 *
 * 1. An attempt that was never claimed proves it.
 * 2. An unknown send of the last day is strong evidence, but two installations that share a queue by mistake see the same. So it stops
 *    mail at most once a day.
 */
export async function detectLostRecord(
  { db, log, metrics }: LostRecordDeps,
  { reports, applied, nowMs }: { reports: Feedback[]; applied: AppliedFeedback; nowMs: number },
): Promise<void> {
  const hasUnknownSend = reports.some(
    ({ kind, sendId }, index) =>
      kind === "send" &&
      applied.verdicts[index] === "unknown-send" &&
      sendId !== undefined &&
      timeOfSendId(sendId) > nowMs - dayMs,
  );
  const unexplainedSince = applied.aheadAt ?? (hasUnknownSend ? new Date(nowMs - dayMs).toISOString() : undefined);
  if (unexplainedSince === undefined) return;
  const failover = await declareFailover(db, "feedback", unexplainedSince);
  if (failover === undefined) return;
  metrics.failovers.inc({ cause: failover.cause });
  const evidence = applied.aheadAt === undefined ? "unknown send" : "unknown attempt";
  log.error(
    { ...failover, evidence, see: "docs/runbook.md, after a restore or failover" },
    "database.failover-detected",
  );
}
