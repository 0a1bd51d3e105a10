import type { Metrics } from "../metrics.ts";
import type { CellState } from "./cell-state.ts";
import { claimedSecondsAgo, isLong, isMissed, unclaimedSeconds } from "./process-problems.ts";
import { createStateGauges } from "./state-gauges.ts";

const roles = ["api", "worker", "serve"] as const;
const modes = ["live", "test"] as const;

export function measureProcesses(metrics: Metrics, read: () => Promise<CellState>): void {
  const gauge = createStateGauges(metrics, async () => {
    const state = await read();
    // The state without a schema or database has no processes, which would look like none alive.
    return state.checks.schema === "ok" ? state : undefined;
  });

  gauge("postern_processes", "Processes with a heartbeat within 20 s", ["role"], ({ processes }, set) => {
    for (const role of roles)
      set({ role }, processes.filter((each) => each.role === role && each.condition === "alive").length);
  });
  gauge(
    "postern_processes_vanished",
    "Processes that crashed or are frozen; for 5 minutes if they were replaced, otherwise for an hour",
    [],
    ({ processes }, set) => set({}, processes.filter(isMissed).length),
  );
  gauge(
    "postern_heartbeat_seconds",
    "Seconds since the oldest heartbeat of the role: of processes that run, and of those that crashed or are frozen",
    ["role"],
    ({ processes }, set) => {
      for (const role of roles) {
        const ages = processes
          .filter((each) => each.role === role && (each.condition === "alive" || isMissed(each)))
          .map(({ seenSecondsAgo }) => seenSecondsAgo);
        if (ages.length > 0) set({ role }, Math.max(...ages));
      }
    },
  );
  gauge(
    "postern_processes_outdated",
    "Processes that run although their version is too old for the schema",
    [],
    ({ processes }, set) =>
      set({}, processes.filter(({ condition, isOutdated }) => condition === "alive" && isOutdated).length),
  );
  gauge("postern_claims_failing", "Workers whose claims have failed for 10 s or longer", [], ({ processes }, set) =>
    set({}, processes.filter((each) => each.condition === "alive" && isLong(each.claimsFailingSeconds)).length),
  );
  gauge(
    "postern_chores_failing",
    "Chores that failed repeatedly or are overdue, and workers that cannot read the queue of chores, for 10 s or longer",
    [],
    ({ processes, failingChores }, set) => {
      const queues = processes.filter((each) => each.condition === "alive" && isLong(each.choresFailingSeconds));
      set({}, queues.length + failingChores.filter(({ failingSeconds }) => isLong(failingSeconds)).length);
    },
  );
  gauge(
    "postern_last_claim_seconds",
    "Seconds since a worker last claimed a send; it grows while nothing is queued",
    ["mode"],
    ({ processes }, set) => {
      for (const mode of modes) {
        const seconds = claimedSecondsAgo(processes, mode);
        if (seconds !== undefined) set({ mode }, seconds);
      }
    },
  );
  gauge(
    "postern_unclaimed_seconds",
    "Seconds for which sends could be claimed and no worker claimed one; 0 below 20 s",
    ["mode"],
    ({ processes }, set) => {
      for (const mode of modes) set({ mode }, unclaimedSeconds(processes, mode) ?? 0);
    },
  );
}
