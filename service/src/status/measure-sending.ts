import { unknownFeedbackState } from "../feedback/feedback-gap.ts";
import type { Metrics } from "../metrics.ts";
import type { Hold } from "../provider/email-provider.ts";
import type { CellState } from "./cell-state.ts";
import { totalOf } from "./guarded-accounts.ts";
import type { ReputationState } from "./reputation.ts";
import type { QueueState, SendingState } from "./sending-state.ts";
import { createStateGauges } from "./state-gauges.ts";

const holdReasons: Hold[] = ["quota", "paused", "suspended", "operator"];

const enforcementStatuses = ["HEALTHY", "PROBATION", "SHUTDOWN"];

export function measureSending(metrics: Metrics, read: () => Promise<CellState>): void {
  const gauge = createStateGauges(metrics, read);

  gauge("postern_queue_sends", "Queued sends by state; 10000 means 10000 or more", ["mode", "state"], (cell, set) => {
    for (const { mode, queue } of cell.sending) {
      for (const state of states(queue)) set({ mode, state }, queue[state].sends);
    }
  });
  gauge(
    "postern_queue_oldest_seconds",
    "Seconds since the oldest queued send of the state was accepted, attempted or parked",
    ["mode", "state"],
    (cell, set) => {
      for (const { mode, queue } of cell.sending) {
        for (const state of states(queue)) set({ mode, state }, queue[state].oldestSeconds ?? 0);
      }
    },
  );
  gauge(
    "postern_provider_held",
    "1 while mail is on hold for this reason; manual: by the operator",
    ["mode", "reason"],
    (cell, set) => {
      for (const { mode, hold, operatorHold } of cell.sending) {
        for (const reason of holdReasons) set({ mode, reason }, Number(hold?.reason === reason));
        set({ mode, reason: "manual" }, Number(operatorHold !== null));
      }
    },
  );
  gauge(
    "postern_provider_enforcement",
    "1 for what SES thinks of the AWS account: HEALTHY, PROBATION, SHUTDOWN or other",
    ["status"],
    (cell, set) => {
      const { enforcementStatus = null } = liveReputation(cell);
      if (enforcementStatus === null) return;
      const known = enforcementStatuses.find((status) => status === enforcementStatus) ?? "other";
      for (const status of [...enforcementStatuses, "other"]) set({ status }, Number(status === known));
    },
  );
  gauge("postern_provider_findings", "Open reputation findings of SES about the AWS account", [], (cell, set) => {
    const { findingCount = null } = liveReputation(cell);
    if (findingCount !== null) set({}, findingCount);
  });
  gauge(
    "postern_provider_quota_recipients",
    "Recipients of 24 hours as SES counts them: allowed (`max`; missing when unlimited) and used up (`used`), read once a minute",
    ["kind"],
    (cell, set) => {
      const { max = null, used = null } = liveSending(cell)?.daily ?? {};
      if (max !== null) set({ kind: "max" }, max);
      if (used !== null) set({ kind: "used" }, used);
    },
  );
  gauge(
    "postern_provider_rate_max",
    "Recipients a second that SES allows; compare with the rate of postern_usage_recipients",
    [],
    (cell, set) => {
      const { maxPerSecond = null } = liveSending(cell)?.rate ?? {};
      if (maxPerSecond !== null) set({}, maxPerSecond);
    },
  );
  gauge("postern_domains_denied", "Domains whose mail waits because SES denies them", [], (cell, set) => {
    set({}, cell.deniedDomains.total);
  });
  gauge(
    "postern_feedback_queue_messages",
    "Messages in the queue of SES's events, as SQS counts them every 30 s: `waiting`, received and not deleted (`in-flight`), `dead-letters`",
    ["state"],
    (cell, set) => {
      const { queuedMessages, inFlightMessages, deadLetters } = liveSending(cell)?.feedback ?? unknownFeedbackState;
      if (queuedMessages !== null) set({ state: "waiting" }, queuedMessages);
      if (inFlightMessages !== null) set({ state: "in-flight" }, inFlightMessages);
      if (deadLetters !== null) set({ state: "dead-letters" }, deadLetters);
    },
  );
  gauge(
    "postern_feedback_last_report_seconds",
    "Seconds since the provider last reported a submission",
    ["mode"],
    (cell, set) => {
      for (const { mode, feedback } of cell.sending) {
        if (feedback.lastReportSecondsAgo !== null) set({ mode }, feedback.lastReportSecondsAgo);
      }
    },
  );
  gauge(
    "postern_feedback_missing",
    "1 while expected reports are missing or the queue is not polled",
    ["mode"],
    (cell, set) => {
      for (const { mode, feedback } of cell.sending) set({ mode }, Number(feedback.gap !== null));
    },
  );
  gauge(
    "postern_failover_in_doubt",
    "Sends still in doubt because of the last failover or restore",
    [],
    (cell, set) => {
      set({}, cell.lastFailover?.inDoubt ?? 0);
    },
  );
  gauge(
    "postern_snapshot_held_seconds",
    "Age of the oldest transaction that keeps vacuum from removing deleted rows",
    [],
    (cell, set) => {
      set({}, Math.max(0, ...cell.heldSnapshots.map(({ heldSeconds }) => heldSeconds ?? 0)));
    },
  );
  gauge(
    "postern_snapshot_held_transactions",
    "Transactions that began since the oldest transaction that keeps vacuum from removing deleted rows",
    [],
    (cell, set) => {
      set({}, Math.max(0, ...cell.heldSnapshots.map(({ transactions }) => transactions)));
    },
  );
  gauge(
    "postern_guard_accounts",
    "Accounts above SES's review line for bounces or complaints (`warned`), and those whose live mail the guard holds (`held`)",
    ["state"],
    ({ guardedAccounts }, set) => {
      set({ state: "warned" }, totalOf(guardedAccounts.warned));
      set({ state: "held" }, totalOf(guardedAccounts.held));
    },
  );
  gauge("postern_feedback_quarantined", "Provider notifications in quarantine", ["reason"], (cell, set) => {
    for (const { reason, entries } of cell.quarantine) set({ reason }, entries);
  });
}

function liveSending({ sending }: CellState): SendingState | undefined {
  return sending.find(({ mode }) => mode === "live");
}

function liveReputation(cell: CellState): Partial<ReputationState> {
  return liveSending(cell)?.reputation ?? {};
}

function states(queue: CellState["sending"][number]["queue"]): QueueState[] {
  // `Object.keys` returns string[], although these keys are exactly those of the type.
  return Object.keys(queue) as QueueState[];
}
