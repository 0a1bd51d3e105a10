import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import type { Chore } from "../loops/chores.ts";
import { dropOldUsage } from "./drop-old-usage.ts";
import { foldTaggedDeltas, foldUsageDeltas, usageDeltas } from "./fold-usage.ts";

interface UsageDeps {
  db: Queryable;
  log: Log;
}

const foldBatchSize = 5_000;
const taggedBatchSize = 1_000;
const maxFoldMs = 60_000;
const maxDropMs = 60_000;

export function usageChores(deps: UsageDeps): Chore[] {
  return [
    // The guard folds too, every two seconds; tags wait for this one.
    {
      name: "fold-usage",
      pauseSeconds: 5,
      dueWhen: usageDeltas,
      run: () => foldUsage(deps.db, maxFoldMs),
    },
    { name: "drop-old-usage", pauseSeconds: 3600, run: () => dropUsage(deps) },
  ];
}

/** Folds until few deltas are left, at most so long. */
export async function foldUsage(db: Queryable, maxMs: number): Promise<void> {
  // crash point: before-usage-fold
  const endsAt = performance.now() + maxMs;
  while (performance.now() < endsAt && (await foldUsageDeltas(db, foldBatchSize)) === foldBatchSize);
  while (performance.now() < endsAt && (await foldTaggedDeltas(db, taggedBatchSize)) === taggedBatchSize);
}

async function dropUsage({ db, log }: UsageDeps): Promise<void> {
  const rows = await dropOldUsage(db, maxDropMs);
  if (rows > 0) log.info({ rows }, "usage.dropped");
}
