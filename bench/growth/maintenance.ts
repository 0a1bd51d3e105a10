import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../service/src/db/database.ts";
import { foldListChanges } from "../../service/src/db/list-counts.ts";
import { dropOldContents } from "../../service/src/storage/old-contents.ts";
import { makePartitionsAhead } from "../../service/src/storage/partitions.ts";
import { foldUsageDeltas } from "../../service/src/usage/fold-usage.ts";
import type { Dataset } from "./dataset.ts";
import { retentionDays } from "./load-dataset.ts";
import { weekMs } from "./time-ranges.ts";

export interface MaintenanceCounts {
  partitionsMade: number;
  partitionsDropped: number;
  listChangesFolded: number;
  usageDeltasFolded: number;
}

const foldPauseMs = 200;
const foldBatchSize = 5_000;

/**
 * Runs the worker's chores during the measurement. Each round is a week later for retention and a month later for
 * partitions, so that the chores have work in every round.
 */
export function startMaintenance(
  db: Database,
  dataset: Dataset,
  round: number,
  rounds: number,
): { stop(): Promise<MaintenanceCounts> } {
  const stopping = new AbortController();
  const done = maintain(db, dataset, { round, rounds }, stopping.signal);
  // stop() reports the failure; until then an unhandled rejection must not end the process.
  done.catch(() => undefined);
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

async function maintain(
  db: Database,
  dataset: Dataset,
  { round, rounds }: { round: number; rounds: number },
  signal: AbortSignal,
): Promise<MaintenanceCounts> {
  const dropAt = new Date(Date.now() - (rounds - 1 - round) * weekMs).toISOString();
  const counts: MaintenanceCounts = {
    partitionsMade: 0,
    partitionsDropped: 0,
    listChangesFolded: 0,
    usageDeltasFolded: 0,
  };
  let failure: unknown = new Error("the measurement ended before the chores ran");
  while (!signal.aborted) {
    // A chore that did not get its lock tries again.
    if (failure !== undefined) {
      const contents = await dropOldContents(db, retentionDays, dropAt);
      const { made, failures } = await makePartitionsAhead(...partitionsFrom(db, dataset, round));
      counts.partitionsMade += made.length;
      counts.partitionsDropped += contents.partitions.length;
      failure = contents.failure ?? failures[0]?.error;
    }
    counts.listChangesFolded += await foldListChanges(db, foldBatchSize);
    counts.usageDeltasFolded += await foldUsageDeltas(db, foldBatchSize);
    await sleep(foldPauseMs, undefined, { signal }).catch(() => undefined);
  }
  if (failure !== undefined) throw failure;
  return counts;
}

/** With 200 weekly partitions none is made; the chore still checks whether one is missing. */
function partitionsFrom(db: Database, { partitions }: Dataset, round: number): Parameters<typeof makePartitionsAhead> {
  if (partitions === "200 weeks") return [db, "week"];
  const at = new Date();
  at.setUTCMonth(at.getUTCMonth() + round + 1, 1);
  return [db, "month", at.toISOString()];
}
