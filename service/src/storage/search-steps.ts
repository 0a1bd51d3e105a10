import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Transaction } from "../db/database.ts";

const busyPauseMs = 200;

/**
 * Runs steps of a chore that changes the search entries, until a step returns undefined or `maxMs` are over. Returns the sum of what the
 * steps returned.
 *
 * One step runs at a time, of all chores and processes. Each step reads and updates the one row of `search_progress`, in a statement that may
 * also read `sends`. At read committed, PostgreSQL would evaluate such a statement again when it meets a row that another transaction has
 * just changed, which can crash it: see db/database.ts. The lock is its own statement, so the step sees what the step before committed.
 */
export async function runSearchSteps(
  db: Database,
  maxMs: number,
  step: (tx: Transaction) => Promise<number | undefined>,
): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let sum = 0;
  while (performance.now() < endsAt) {
    const done = await db.withTransaction(async (tx) => ((await lockEntries(tx)) ? step(tx) : "busy"));
    if (done === undefined) break;
    if (done === "busy") await sleep(busyPauseMs);
    else sum += done;
  }
  return sum;
}

async function lockEntries(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>({
    name: "lock-search-entries",
    text: `
      select pg_try_advisory_xact_lock(hashtextextended('search entries', 0)) as "isLocked"`,
  });
  return row?.isLocked ?? false;
}
