import { Gauge } from "prom-client";
import type { Metrics } from "../metrics.ts";
import type { Hold } from "../provider/email-provider.ts";
import type { CellState } from "./cell-state.ts";
import type { QueueState } from "./sending-state.ts";

const reasons: Hold[] = ["quota", "paused", "suspended", "operator"];

/** Looked up when metrics are asked for. While the database is away the figures are absent, and the others are answered. */
export function measureSending({ registry }: Metrics, read: () => Promise<CellState>): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    fill: (state: CellState, set: (labels: Record<Label, string>, value: number) => void) => void,
  ) => {
    const figure = new Gauge({
      name,
      help,
      labelNames,
      registers: [],
      async collect() {
        figure.reset();
        const state = await read().catch(() => undefined);
        if (state !== undefined) fill(state, (labels, value) => figure.set(labels, value));
      },
    });
    registry.registerMetric(figure);
  };

  gauge("postern_queue_sends", "Sends on their way; 10000 means that many or more", ["mode", "state"], (cell, set) => {
    for (const { mode, queue } of cell.sending) {
      for (const state of states(queue)) set({ mode, state }, queue[state].sends);
    }
  });
  gauge("postern_queue_oldest_seconds", "Age of the oldest of them", ["mode", "state"], (cell, set) => {
    for (const { mode, queue } of cell.sending) {
      for (const state of states(queue)) set({ mode, state }, queue[state].oldestSeconds ?? 0);
    }
  });
  gauge("postern_provider_held", "1 while mail is held for this reason", ["mode", "reason"], (cell, set) => {
    for (const { mode, hold, operatorHold } of cell.sending) {
      for (const reason of reasons) set({ mode, reason }, Number(hold?.reason === reason));
      set({ mode, reason: "manual" }, Number(operatorHold !== null));
    }
  });
  gauge("postern_feedback_last_report_seconds", "Since the provider told of a hand-over", ["mode"], (cell, set) => {
    for (const { mode, feedback } of cell.sending) {
      if (feedback.lastReportSecondsAgo !== null) set({ mode }, feedback.lastReportSecondsAgo);
    }
  });
  gauge("postern_feedback_missing", "1 while feedback that should come does not", ["mode"], (cell, set) => {
    for (const { mode, feedback } of cell.sending) set({ mode }, Number(feedback.silence !== null));
  });
  gauge("postern_failover_in_doubt", "Sends in doubt by the last failover or restore", [], (cell, set) => {
    set({}, cell.lastFailover?.inDoubt ?? 0);
  });
  gauge("postern_snapshot_held_seconds", "Age of the oldest transaction that keeps vacuum waiting", [], (cell, set) => {
    set({}, Math.max(0, ...cell.heldSnapshots.map(({ heldSeconds }) => heldSeconds ?? 0)));
  });
  gauge("postern_snapshot_held_transactions", "Transactions that have begun since the oldest", [], (cell, set) => {
    set({}, Math.max(0, ...cell.heldSnapshots.map(({ transactions }) => transactions)));
  });
  gauge("postern_feedback_quarantined", "What the provider told and nobody could use", ["reason"], (cell, set) => {
    for (const { reason, entries } of cell.quarantine) set({ reason }, entries);
  });
}

function states(queue: CellState["sending"][number]["queue"]): QueueState[] {
  // The keys are those of the type; `Object.keys` cannot say so.
  return Object.keys(queue) as QueueState[];
}
