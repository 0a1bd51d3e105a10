import { PgBoss } from "pg-boss";
import pgBossPackage from "pg-boss/package.json" with { type: "json" };
import { applicationName } from "../db/code-range.ts";
import { rateLimitedClient } from "../db/connection-rate-limit.ts";
import { lockTimeoutMs } from "../db/lock-retries.ts";
import { postgresClient } from "../db/postgres-client.ts";
import { tcpKeepalive, withoutLimits } from "../db/session-settings.ts";
import type { Log } from "../log.ts";
import type { ChoreWatch } from "./chore-watch.ts";

const poolSize = 4;
const stopMs = 20_000;
const stopFailedStartMs = 5_000;
/** A chore with a long pause must not wait that long after a short interruption. */
const longestRetrySeconds = 60;
/** The application_name of the session that makes the tables. */
export const choreMigrationName = "postern-migrate-chores";

/** The version of pg-boss's tables that the first release of Postern used, without a number in the name of their schema. */
const firstTables = 43;

/**
 * pg-boss upgrades its tables in place, and an older pg-boss does not work on the result. So each version of them has a schema of its own:
 * during an upgrade, and after a rollback, the older workers go on with theirs.
 */
export function choreSchema(tables: number = pgBossPackage.pgboss.schema): string {
  return tables === firstTables ? "pgboss" : `pgboss_v${tables}`;
}

/** Periodic work that one process at a time runs, in any of the running workers. */
export interface Chore {
  name: string;
  /** The least pause between the end of one run and the start of the next; after a failed run it is a minute at most. */
  pauseSeconds: number;
  /**
   * Whether a run has something to do. It is one cheap statement, and a run costs three more. Every process looks after each pause, and
   * without work the chore runs every half minute only.
   */
  isDue?(): Promise<boolean>;
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
 * one every minute too, or every five minutes for chores with long pauses, in case a process crashed before it enqueued the next run.
 */
export async function startChores(
  directUrl: string,
  chores: Chore[],
  log: Log,
  watch?: ChoreWatch,
): Promise<{ stop(): Promise<void> }> {
  const pool = { max: poolSize, Client: rateLimitedClient(poolSize * 2), options: `${withoutLimits} ${tcpKeepalive}` };
  const boss = new PgBoss({
    connectionString: directUrl,
    application_name: applicationName("chores"),
    schema: choreSchema(),
    ...pool,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    maintenanceIntervalSeconds: 3600,
    // No chore depends on another one, and each schedule is for a crash only.
    flowIntervalSeconds: 3600,
    cronWorkerIntervalSeconds: 15,
  });
  boss.on("error", (err) => {
    log.error({ err }, "chores.error");
    watch?.queueFailed();
  });
  const nextRuns: NextRuns[] = [];
  const stop = async (timeout: number) => {
    for (const each of nextRuns) each.stop();
    await boss.stop({ graceful: true, timeout });
  };
  try {
    await boss.start();
    for (const chore of chores) await prepareQueue(boss, chore);
    for (const chore of chores) nextRuns.push(await startChore(boss, chore, log, watch));
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
  await boss.schedule(chore.name, isFrequent(chore) ? "* * * * *" : "*/5 * * * *");
}

async function startChore(boss: PgBoss, chore: Chore, log: Log, watch?: ChoreWatch): Promise<NextRuns> {
  // First, because `work` looks for a run at once, and then after each interval.
  await boss.send(chore.name);
  const nextRuns = new NextRuns(chore);
  const pollingIntervalSeconds = pollSeconds(chore);
  const worker = await boss.work(chore.name, { pollingIntervalSeconds }, async () => {
    const pauseSeconds = await runOnce(boss, chore, log, watch);
    nextRuns.lookAfter(pauseSeconds);
  });
  nextRuns.start(() => boss.notifyWorker(worker));
  watch?.runs(chore.name, chore.pauseSeconds);
  return nextRuns;
}

function isFrequent({ pauseSeconds }: Chore): boolean {
  return pauseSeconds < 600;
}

/** The process that ran a chore, or every process if the chore has `isDue`, looks for a run when it is due, so others need not poll often. */
function pollSeconds(chore: Chore): number {
  if (!isFrequent(chore)) return 60;
  return chore.isDue === undefined ? 10 : 30;
}

const timerMarginMs = 50;

/**
 * Looks for the next run of a chore when that is due. All processes poll as well, but seldom, for the runs of a process that stopped or
 * crashed: polls are most of what an idle worker does.
 */
class NextRuns {
  readonly #chore: Chore;
  #look: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(chore: Chore) {
    this.#chore = chore;
  }

  start(look: () => void): void {
    this.#look = look;
    if (this.#chore.isDue !== undefined && this.#timer === undefined) this.lookAfter(this.#chore.pauseSeconds);
  }

  lookAfter(seconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#lookIfDue(), seconds * 1_000 + timerMarginMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #lookIfDue(): Promise<void> {
    const { isDue, pauseSeconds } = this.#chore;
    // Without an answer the poll fails too, and pg-boss reports that.
    if (isDue === undefined || (await isDue().catch(() => true))) this.#look();
    if (isDue !== undefined) this.lookAfter(pauseSeconds);
  }
}

/**
 * Creates the tables of pg-boss for `postern migrate`, so that a worker needs no right to change the schema. Waits for a lock as long as
 * a step of the schema does, and then fails with nothing changed.
 */
export async function migrateChores(directUrl: string): Promise<void> {
  const client = new (postgresClient())({
    connectionString: directUrl,
    application_name: choreMigrationName,
    options: `${withoutLimits} -c lock_timeout=${lockTimeoutMs} ${tcpKeepalive}`,
    connectionTimeoutMillis: 10_000,
  });
  // Without a listener a lost connection would end the process.
  client.on("error", () => undefined);
  await client.connect();
  const executeSql = (text: string, values?: unknown[]) => client.query(withOurLockTimeout(text), values);
  const boss = new PgBoss({ db: { executeSql }, schema: choreSchema(), supervise: false, schedule: false });
  // `start` throws the errors that matter.
  boss.on("error", () => undefined);
  try {
    await boss.start();
  } catch (error) {
    throw causeOf(error);
  } finally {
    await boss.stop({ graceful: false }).catch(() => undefined);
    await client.end();
  }
}

/** pg-boss would wait for 30 s, and every statement behind it too. */
function withOurLockTimeout(text: string): string {
  return text.replaceAll(/SET LOCAL lock_timeout = \d+/g, `SET LOCAL lock_timeout = ${lockTimeoutMs}`);
}

/** pg-boss wraps the error of the server in an assertion. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && "actual" in error && error.actual instanceof Error ? error.actual : error;
}

/** Returns the pause until the next run that it enqueued. */
async function runOnce(boss: PgBoss, chore: Chore, log: Log, watch?: ChoreWatch): Promise<number> {
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
  return pauseSeconds;
}
