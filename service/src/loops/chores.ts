import { PgBoss } from "pg-boss";
import { rateLimitedClient, tcpKeepalive } from "../db/connection-rate-limit.ts";
import type { Log } from "../log.ts";
import type { ChoreWatch } from "./chore-watch.ts";

const poolSize = 4;
const stopMs = 20_000;
const stopFailedStartMs = 5_000;
/** A chore with a long pause must not wait that long after a short interruption. */
const longestRetrySeconds = 60;

/** Periodic work that one process at a time runs, in any of the running workers. */
export interface Chore {
  name: string;
  /** The pause between the end of one run and the start of the next; after a failed run it is a minute at most. */
  pauseSeconds: number;
  run(): Promise<void>;
}

/** A run counts as crashed after 20 seconds without a heartbeat, or after ten minutes. Finished runs are deleted after an hour. */
const queueOptions = {
  policy: "stately",
  retryLimit: 0,
  expireInSeconds: 600,
  heartbeatSeconds: 20,
  retentionSeconds: 3600,
  deleteAfterSeconds: 3600,
} as const;

/**
 * Each chore is a queue with at most one waiting and one running job. A run enqueues the next one. The schedule enqueues
 * one every minute too, in case a process crashed before it enqueued the next run.
 */
export async function startChores(
  directUrl: string,
  chores: Chore[],
  log: Log,
  watch?: ChoreWatch,
): Promise<{ stop(): Promise<void> }> {
  const pool = { max: poolSize, Client: rateLimitedClient(poolSize * 2), options: tcpKeepalive };
  const boss = new PgBoss({
    connectionString: directUrl,
    application_name: "postern-chores",
    ...pool,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    maintenanceIntervalSeconds: 3600,
  });
  boss.on("error", (err) => {
    log.error({ err }, "chores.error");
    watch?.queueFailed();
  });
  const stop = (timeout: number) => boss.stop({ graceful: true, timeout });
  try {
    await boss.start();
    for (const chore of chores) await prepareQueue(boss, chore);
    for (const chore of chores) await startChore(boss, chore, log, watch);
  } catch (error) {
    // Otherwise the connections and timers of pg-boss would keep taking chores. What went wrong first is the error that matters.
    await stop(stopFailedStartMs).catch(() => undefined);
    throw error;
  }
  return { stop: () => stop(stopMs) };
}

async function prepareQueue(boss: PgBoss, chore: Chore): Promise<void> {
  const { policy, ...changeable } = queueOptions;
  await boss.createQueue(chore.name, { policy, ...changeable });
  // `createQueue` leaves the options of an existing queue unchanged.
  await boss.updateQueue(chore.name, changeable);
  await boss.schedule(chore.name, "* * * * *");
}

async function startChore(boss: PgBoss, chore: Chore, log: Log, watch?: ChoreWatch): Promise<void> {
  await boss.work(chore.name, { pollingIntervalSeconds: 0.5 }, () => runOnce(boss, chore, log, watch));
  await boss.send(chore.name);
  watch?.runs(chore.name, chore.pauseSeconds);
}

/** Creates or upgrades the tables of pg-boss for `postern migrate`, so that a worker needs no right to change the schema. */
export async function migrateChores(directUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: directUrl, supervise: false, schedule: false });
  // Without a listener an error event would end the process. `start` throws the errors that matter.
  boss.on("error", () => undefined);
  await boss.start();
  await boss.stop();
}

async function runOnce(boss: PgBoss, chore: Chore, log: Log, watch?: ChoreWatch): Promise<void> {
  const started = performance.now();
  let { pauseSeconds } = chore;
  try {
    await chore.run();
    log.debug({ chore: chore.name, duration_ms: Math.round(performance.now() - started) }, "chore.done");
    watch?.ended(chore.name, { hasFailed: false });
  } catch (err) {
    log.error({ chore: chore.name, err }, "chore.failed");
    watch?.ended(chore.name, { hasFailed: true });
    pauseSeconds = Math.min(pauseSeconds, longestRetrySeconds);
  }
  // crash point: chore-run
  await boss.send(chore.name, null, { startAfter: pauseSeconds });
}
