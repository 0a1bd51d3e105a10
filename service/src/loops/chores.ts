import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { withDeadline } from "../deadline.ts";
import type { Log } from "../log.ts";
import { addChores, type ChoreRun, endRun, leaseSeconds, renewLeases, takeDueChores } from "./chore-runs.ts";
import type { ChoreWatch } from "./chore-watch.ts";
import { startTicker } from "./ticker.ts";

/** Periodic work that one process at a time runs, in any of the running workers. Running twice, or stopping midway, must do no harm. */
export interface Chore {
  name: string;
  /** The least pause between the end of one run and the start of the next; after a failed run it is a minute at most. */
  pauseSeconds: number;
  /** SQL: a query with rows when a run has something to do. Without rows the chore runs every half minute. */
  dueWhen?: string;
  run(): Promise<void>;
}

const lookEveryMs = 2_000;
const renewEveryMs = (leaseSeconds * 1_000) / 4;
/** Then the run counts as failed, and another one may start. */
const longestRunMs = 600_000;
/** A chore with a long pause must not wait that long after a short interruption. */
const longestRetrySeconds = 60;
const stopMs = 20_000;
/** Most runs take less. All at the same time they would open a connection each, which then stays. */
const nextRunAfterMs = 100;

interface ChoreDeps {
  db: Database;
  log: Log;
  watch?: ChoreWatch | undefined;
}

/** Looks every two seconds for chores that are due and that no worker runs (chore-runs.ts), and runs them. A slow one does not delay the others. */
export async function startChores(deps: ChoreDeps, chores: Chore[]): Promise<{ stop(): Promise<void> }> {
  const { db, log, watch } = deps;
  await addChores(db, chores);
  for (const { name, pauseSeconds } of chores) watch?.runs(name, pauseSeconds);
  const running = new Map<Chore, { run: ChoreRun; ended: Promise<void> }>();
  let renewedAt = performance.now();

  const renew = async () => {
    if (running.size === 0 || performance.now() - renewedAt < renewEveryMs) return;
    renewedAt = performance.now();
    await renewLeases(
      db,
      [...running.values()].map(({ run }) => run),
    );
  };
  const ticker = startTicker({
    pauseMs: lookEveryMs,
    run: async () => {
      try {
        await renew();
        const free = chores.filter((chore) => !running.has(chore));
        for (const run of await takeDueChores(db, chores, free)) {
          const chore = free.find(({ name }) => name === run.name);
          if (chore === undefined) continue;
          const ended = runOnce(deps, chore, run).finally(() => running.delete(chore));
          running.set(chore, { run, ended });
          await Promise.race([ended, sleep(nextRunAfterMs)]);
        }
      } catch (error) {
        watch?.queueFailed();
        throw error;
      }
    },
    onFailure: (err) => log.error({ err }, "chores.error"),
  });
  return {
    async stop() {
      await ticker.stop();
      const ended = Promise.all([...running.values()].map((each) => each.ended));
      await withDeadline(stopMs, "the end of the running chores", ended).catch((err: unknown) =>
        log.warn({ err }, "chores.still-running"),
      );
    },
  };
}

/** Never rejects. When the end cannot be stored, the lease passes, and the chore runs again. */
async function runOnce({ db, log, watch }: ChoreDeps, chore: Chore, run: ChoreRun): Promise<void> {
  const started = performance.now();
  let { pauseSeconds } = chore;
  try {
    await withDeadline(longestRunMs, `the chore ${chore.name}`, chore.run());
    log.debug({ chore: chore.name, duration_ms: Math.round(performance.now() - started) }, "chore.done");
    watch?.ended(chore.name, { hasFailed: false });
  } catch (err) {
    log.error({ chore: chore.name, err }, "chore.failed");
    watch?.ended(chore.name, { hasFailed: true });
    pauseSeconds = Math.min(pauseSeconds, longestRetrySeconds);
  }
  // crash point: chore-run
  await endRun(db, run, pauseSeconds).catch((err: unknown) => {
    log.error({ chore: chore.name, err }, "chores.error");
    watch?.queueFailed();
  });
}
