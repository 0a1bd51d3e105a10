import closeWithGrace from "close-with-grace";
import packageJson from "../../package.json" with { type: "json" };
import { type Environment, loadEnvironment, readMisspeltSettings, type WorkerConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { type Hints, openHints } from "../db/hints.ts";
import { findUsablePooler } from "../db/pooler/require-usable-pooler.ts";
import { withDeadline } from "../deadline.ts";
import { ClaimWatch } from "../delivery/claim-watch.ts";
import { createLog, type Log } from "../log.ts";
import { ChoreWatch } from "../loops/chore-watch.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { type CellState, countLimitForMetrics, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { noGuardedAccounts, totalOf } from "../status/guarded-accounts.ts";
import { measureChores } from "../status/measure-chores.ts";
import { measureDatabaseGrowth } from "../status/measure-database-growth.ts";
import { measurePartitions } from "../status/measure-partitions.ts";
import { measureProcesses } from "../status/measure-processes.ts";
import { measureSending } from "../status/measure-sending.ts";
import { measureUsage } from "../status/measure-usage.ts";
import { measureWebhooks } from "../status/measure-webhooks.ts";
import { cacheForOneSecond, checkReadiness, unreachable } from "../status/readiness.ts";
import { withinScrape } from "../status/scrape-deadline.ts";
import { flushSpans } from "../tracing.ts";
import { explainListenError } from "./listen-error.ts";
import { watchLiveness } from "./liveness.ts";
import { measureProcess } from "./measure-process.ts";
import { startOperationsServer } from "./operations-server.ts";
import { createProcessDatabases, type ProcessDatabases } from "./process-databases.ts";
import { startProcessHeartbeat } from "./process-heartbeat.ts";
import { Started } from "./started.ts";
import { trimMemoryWhenIdle } from "./trim-memory.ts";
import { waitUntilUsable } from "./wait-until-usable.ts";

/** DRAIN_SECONDS is at most 15, which leaves 10 for the requests in progress: no statement of the API runs longer. */
const stopWithinMs = 25_000;
/** Every step has its own, shorter deadline. */
const startWithinMs = 60_000;
const stopFailedStartWithinMs = 10_000;
const lingerMs = 1_000;
const flushWithinMs = 2_000;
/** After the state could not be read within its own deadline. */
const readinessWithinMs = 1_000;

export interface ProcessContext<Settings extends WorkerConfig = WorkerConfig> {
  config: Settings;
  db: Database;
  /** Opens its connection when something listens. */
  hints: Hints;
  log: Log;
  metrics: Metrics;
  /** Undefined in tests and benchmarks that start only a part of a process. */
  claims?: ClaimWatch;
}

/** `facts`: fields of the log line `<name>.started`. */
export type Start<Settings extends WorkerConfig> = (
  context: StartContext<Settings>,
) => Promise<Record<string, unknown>>;

export interface StartContext<Settings extends WorkerConfig = WorkerConfig> extends ProcessContext<Settings> {
  /** Opens connections for one purpose, apart from those of `db`. The process closes them. */
  openDatabase: ProcessDatabases["open"];
  /** Each start-up step adds what has to be stopped. */
  started: Started;
  chores: ChoreWatch;
}

/** The defaults let an API and a worker run on one machine; OPERATIONS_PORT has to differ for each process. */
const usualOperationsPort = { api: 3001, worker: 3002, serve: 3001 };
type ProcessName = keyof typeof usualOperationsPort;

/** Runs a long-lived process: reads the settings, opens the database and the operations port, starts the work, stops on a signal. */
export async function runProcess<Settings extends WorkerConfig>(
  name: ProcessName,
  read: (env: Environment) => Settings,
  start: Start<Settings>,
): Promise<void> {
  const environment = loadEnvironment();
  const config = read(environment);
  const log = createLog(config.logLevel).child({ role: name, version: packageJson.version });
  for (const { name: setting, nearest } of readMisspeltSettings(environment)) {
    log.warn({ setting, nearest }, "settings.unknown");
  }
  const started = new Started();
  // Closed last, so that it exports the spans of everything that stops before.
  started.addResource(() => exportLastSpans(log));
  try {
    if (!(await waitUntilUsable({ name, config, operations: operationsAddress(name, config), log }))) {
      await started.stop();
      log.info(`${name}.stopped`);
      return;
    }
    const isPooled = await findUsablePooler(config.database);
    const databases = createProcessDatabases({ ...config.database, isPooled }, log);
    started.addResource(() => databases.close());
    const db = databases.open(name, config.database.poolSize);
    const starting = startProcess({ name, config, log, started, start, databases, db });
    const facts = await withDeadline(startWithinMs, "the start", starting);
    log.info({ ...facts, provider: config.provider.kind }, `${name}.started`);
  } catch (error) {
    await stopFailedStart(name, log, started);
    throw error;
  }

  const logger = { error: (err: unknown) => log.error({ err }, `${name}.stop-failed`) };
  closeWithGrace({ delay: stopWithinMs, logger }, async ({ err, signal }) => {
    if (err !== undefined) log.error({ err }, `${name}.crashed`);
    log.info({ signal }, `${name}.stopping`);
    // A supervisor sends SIGTERM. A person who presses Ctrl-C wants no wait, and a process with an error must not serve on.
    await started.stop({ drains: signal === "SIGTERM" });
    log.info(`${name}.stopped`);
  });
}

interface StartOptions<Settings extends WorkerConfig> {
  name: ProcessName;
  config: Settings;
  log: Log;
  started: Started;
  start: Start<Settings>;
  databases: ProcessDatabases;
  db: Database;
}

function operationsAddress(name: ProcessName, { operations: { host, port } }: WorkerConfig) {
  return { host, port: port ?? usualOperationsPort[name] };
}

async function startProcess<Settings extends WorkerConfig>({
  name,
  config,
  log,
  started,
  start,
  databases,
  db,
}: StartOptions<Settings>): Promise<Record<string, unknown>> {
  const metrics = createMetrics();
  const rule = { ...config.feedback, databaseDiskBytes: config.databaseDiskBytes };
  const readState = cacheForOneSecond(() => readCellState(db, rule, countLimitForMetrics));
  const readChecks = async () => (await readState()).checks;
  // First: the queries of the other metrics wait for connections themselves.
  measureProcess(metrics, { role: name, readChecks, connections: databases.connections });
  measurePartitions(metrics, db);
  measureUsage(metrics, db);
  measureWebhooks(metrics, db);
  measureChores(metrics, db);
  measureDatabaseGrowth(metrics, readState);
  measureSending(metrics, readState);
  measureProcesses(metrics, readState);
  const [claims, chores] = [new ClaimWatch(), new ChoreWatch(metrics)];
  const listen = operationsAddress(name, config);
  const operations = await startOperationsServer(listen, {
    metrics: () => metrics.registry.metrics(),
    health: async () => {
      const health = { ...(await readHealth(db, readState)), connections: databases.connections() };
      return started.isStopping ? { isStopping: true, ...health, isReady: false } : health;
    },
    liveness: watchLiveness(claims, config.database.url, started),
  }).catch(explainListenError("OPERATIONS_PORT", listen));
  started.addResource(() => operations.close());
  const hints = openHints({ directUrl: config.database.directUrl, log });
  started.addResource(() => hints.close());
  const facts = await start({ config, db, openDatabase: databases.open, hints, log, metrics, started, claims, chores });
  const heartbeat = startProcessHeartbeat({ role: name, db, claims, chores, log });
  started.addResource(() => heartbeat.stop());
  const trimming = trimMemoryWhenIdle(log);
  started.addResource(async () => trimming.stop());
  return { ...facts, operations: operations.address };
}

/**
 * A process that failed to start must not run on: it would take chores that it cannot do. It stops what it has started, and exits
 * even if a connection, a port or a step that did not answer keeps Node running. The caller reports the error and sets the exit code.
 */
async function stopFailedStart(name: ProcessName, log: Log, started: Started): Promise<void> {
  const stopped = withDeadline(stopFailedStartWithinMs, "the stop", started.stop());
  await stopped.catch((err: unknown) => log.error({ err }, `${name}.stop-failed`));
  setTimeout(() => process.exit(process.exitCode ?? 1), lingerMs).unref();
}

/** An exporter that does not answer must not delay the stop. */
async function exportLastSpans(log: Log): Promise<void> {
  const flushed = withDeadline(flushWithinMs, "the export of the last spans", flushSpans());
  await flushed.catch((err: unknown) => log.warn({ err }, "traces.not-exported"));
}

async function readHealth(db: Database, readState: () => Promise<CellState>) {
  const state = await withinScrape(readState()).catch(() => undefined);
  return state === undefined ? healthWithoutState(db) : describeHealth(state);
}

/** Only `isReady` decides the status code; other problems are reported without making the process unready. Names no account. */
function describeHealth(state: CellState) {
  const { isReady, checks, sending, quarantine, heldAccounts, lastFailover, processes, failingChores, databaseGrowth } =
    state;
  const degraded = findProblems({ ...state, heldAccounts: [], guardedAccounts: noGuardedAccounts }).map(
    ({ what }) => what,
  );
  const { held, warned } = state.guardedAccounts;
  const accounts = {
    heldAccounts: heldAccounts.length,
    guardedAccounts: { held: totalOf(held), warned: totalOf(warned) },
  };
  const mail = { sending, quarantine, ...accounts, lastFailover };
  return { isReady, checks, degraded, ...mail, processes, failingChores, databaseGrowth };
}

async function healthWithoutState(db: Database) {
  const readiness = withDeadline(readinessWithinMs, "the check of the readiness", checkReadiness(db));
  return { ...(await readiness.catch(() => unreachable)), degraded: ["The state of sending could not be read."] };
}
