import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { addGuardCounts } from "../../test/guard-counts.ts";
import { aQueuedSend } from "../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { AppError } from "../errors.ts";
import { countQueue } from "../feedback/count-queue.ts";
import { quarantine } from "../feedback/quarantine-store.ts";
import { checkAccounts } from "../guard/check-accounts.ts";
import { noteReportedSubmissions } from "../in-doubt/feedback-progress.ts";
import { createMetrics } from "../metrics.ts";
import { holdByOperator } from "../queue/operator-hold.ts";
import { holdProvider, storeQuota } from "../queue/provider-hold.ts";
import { readCellState } from "./cell-state.ts";
import { measureSending } from "./measure-sending.ts";

const database = useTestDatabase();
useEmptyQueue(database);

const rule = { feedbackGapSeconds: 900, hasFeedbackQueue: true };

test("metrics report queues, holds, feedback, quarantine and held snapshots", async () => {
  await aQueuedSend(database.db, { accountId: await anAccount(database.db) });
  await holdProvider(database.db, "live", "quota");
  await holdByOperator(database.db, undefined);
  await noteReportedSubmissions(database.db, "live", new Date().toISOString());
  await storeQuota(database.db, "live", {
    perSecond: 14,
    enforcementStatus: "PROBATION",
    perDay: 50_000,
    usedToday: 120,
  });
  await countQueue(database.db, "live", async () => ({ queued: 5, inFlight: 2, deadLetters: 1 }));
  await change(database.db, "update provider_state set findings = '[]', finding_count = 2 where mode = 'live'");
  await quarantine(database.db, [{ reason: "unreadable", raw: "?" }]);
  await addGuardCounts(database.db, await anAccount(database.db), { outcomes: 200, hardBounces: 11 });
  await addGuardCounts(database.db, await anAccount(database.db), { outcomes: 200, hardBounces: 60 });
  await checkAccounts(database.db, { maxCounts: 100 });
  const metrics = createMetrics();
  measureSending(metrics, () => readCellState(database.db, rule, 10));
  const text = await metrics.registry.metrics();
  for (const line of [
    'postern_queue_sends{mode="live",state="ready"} 1',
    'postern_queue_sends{mode="live",state="in-doubt"} 0',
    'postern_queue_sends{mode="test",state="ready"} 0',
    'postern_provider_held{mode="live",reason="quota"} 1',
    'postern_provider_held{mode="live",reason="paused"} 0',
    'postern_provider_held{mode="live",reason="manual"} 1',
    'postern_provider_enforcement{status="PROBATION"} 1',
    'postern_provider_enforcement{status="HEALTHY"} 0',
    'postern_provider_enforcement{status="other"} 0',
    "postern_provider_findings 2",
    'postern_provider_quota_recipients{kind="max"} 50000',
    'postern_provider_quota_recipients{kind="used"} 120',
    "postern_provider_rate_max 14",
    "postern_domains_denied 0",
    'postern_feedback_queue_messages{state="waiting"} 5',
    'postern_feedback_queue_messages{state="in-flight"} 2',
    'postern_feedback_queue_messages{state="dead-letters"} 1',
    'postern_feedback_missing{mode="live"} 0',
    'postern_feedback_quarantined{reason="unreadable"} 1',
    'postern_guard_accounts{state="warned"} 1',
    'postern_guard_accounts{state="held"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).toMatch(/^postern_snapshot_held_seconds \d/m);
  expect(text).toMatch(/^postern_snapshot_held_transactions \d/m);
  expect(text).toMatch(/^postern_queue_oldest_seconds\{mode="live",state="ready"\} \d/m);
  expect(text).toMatch(/^postern_feedback_last_report_seconds\{mode="live"\} \d/m);
});

test("while the database is unavailable, these metrics are missing and all others are served", async () => {
  const metrics = createMetrics();
  measureSending(metrics, () => Promise.reject(new AppError("UNAVAILABLE", "gone")));
  const text = await metrics.registry.metrics();
  expect(text).not.toContain("postern_queue_sends{");
  expect(text).not.toMatch(/^postern_failover_in_doubt/m);
  expect(text).toContain("process_cpu_seconds_total");
});
