import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Transaction } from "../db/database.ts";
import { isStatementTimeout } from "../db/sql-state.ts";

/** How much one step does. A chore keeps it for its next run: a size that was too large for the time limit stays too large for a while. */
export interface StepSize {
  value: number;
  readonly smallest: number;
  readonly largest: number;
}

const busyPauseMs = 200;

/**
 * Runs steps of a chore that changes the search entries, until a step returns undefined or `maxMs` are over. Returns the sum of what the
 * steps returned. A step that exceeds the time limit of a statement runs again with half the size.
 *
 * One step runs at a time, of all chores and processes. Each step reads and updates the one row of `search_progress`, in a statement that may
 * also read `sends`. At read committed, PostgreSQL would evaluate such a statement again when it meets a row that another transaction has
 * just changed, which can crash it: see db/database.ts. The lock is its own statement, so the step sees what the step before committed.
 */
export async function runSearchSteps(
  db: Database,
  maxMs: number,
  size: StepSize,
  step: (tx: Transaction) => Promise<number | undefined>,
): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let sum = 0;
  // At least one step, however slow the process is: otherwise a chore could do nothing for ever.
  do {
    try {
      const done = await db.withTransaction(async (tx) => ((await lockEntries(tx)) ? step(tx) : "busy"));
      if (done === undefined) break;
      if (done === "busy") await sleep(busyPauseMs);
      else sum += done;
    } catch (error) {
      if (!isStatementTimeout(error) || size.value === size.smallest) throw error;
      halve(size);
    }
  } while (performance.now() < endsAt);
  return sum;
}

export function halve(size: StepSize): void {
  size.value = Math.max(Math.floor(size.value / 2), size.smallest);
}

export function double(size: StepSize): void {
  size.value = Math.min(size.value * 2, size.largest);
}

async function lockEntries(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>({
    name: "lock-search-entries",
    text: `
      select pg_try_advisory_xact_lock(hashtextextended('search entries', 0)) as "isLocked"`,
  });
  return row?.isLocked ?? false;
}
