import closeWithGrace from "close-with-grace";
import { type Environment, loadEnvironment, type WorkerConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createLog, type Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { type CellState, countLimitForMetrics, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { measurePartitions } from "../status/measure-partitions.ts";
import { measureSending } from "../status/measure-sending.ts";
import { cacheForOneSecond, checkReadiness } from "../status/readiness.ts";
import { explainListenError } from "./listen-error.ts";
import { startOperationsServer } from "./operations-server.ts";
import { requireUsableDatabase } from "./require-usable-database.ts";

const stopWithinMs = 25_000;

export interface ProcessContext<Settings extends WorkerConfig = WorkerConfig> {
  config: Settings;
  db: Database;
  log: Log;
  metrics: Metrics;
}

export interface Running {
  /** Fields of the log line `<name>.started`. */
  facts: Record<string, unknown>;
  stop(): Promise<void>;
}

/** The defaults let an API and a worker run on one machine; OPERATIONS_PORT has to differ for each process. */
const usualOperationsPort = { api: 3001, worker: 3002, serve: 3001 };

/** Runs a long-lived process: reads the settings, opens the database and the operations port, starts the work, stops on a signal. */
export async function runProcess<Settings extends WorkerConfig>(
  name: keyof typeof usualOperationsPort,
  read: (env: Environment) => Settings,
  start: (context: ProcessContext<Settings>) => Promise<Running>,
): Promise<void> {
  const config = read(loadEnvironment());
  const log = createLog(config.logLevel);
  const db = openDatabase({
    ...config.database,
    applicationName: `postern-${name}`,
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
  const opened: { close(): Promise<void> }[] = [db];
  try {
    await requireUsableDatabase(db, config.provider.kind);
    const metrics = createMetrics();
    measurePartitions(metrics, db);
    const readState = cacheForOneSecond(() => readCellState(db, config.feedback, countLimitForMetrics));
    measureSending(metrics, readState);
    const listen = { ...config.operations, port: config.operations.port ?? usualOperationsPort[name] };
    const operations = await openOperations(listen, db, metrics, readState);
    opened.unshift(operations);
    const running = await start({ config, db, log, metrics });
    opened.unshift({ close: running.stop });
    log.info({ ...running.facts, operations: operations.address, provider: config.provider.kind }, `${name}.started`);
  } catch (error) {
    // An open connection or port would keep a process that failed to start from ending.
    await closeAll(opened);
    throw error;
  }

  const logger = { error: (err: unknown) => log.error({ err }, `${name}.stop-failed`) };
  closeWithGrace({ delay: stopWithinMs, logger }, async ({ err, signal }) => {
    if (err !== undefined) log.error({ err }, `${name}.crashed`);
    log.info({ signal }, `${name}.stopping`);
    await closeAll(opened);
    log.info(`${name}.stopped`);
  });
}

function openOperations(
  listen: { host: string; port: number },
  db: Database,
  metrics: Metrics,
  readState: () => Promise<CellState>,
) {
  return startOperationsServer(listen, {
    metrics: () => metrics.registry.metrics(),
    health: async () => {
      const state = await readState().catch(() => undefined);
      return {
        ...(await (state === undefined ? healthWithoutState(db) : describeHealth(state))),
        connections: db.connections(),
      };
    },
  }).catch(explainListenError("OPERATIONS_PORT", listen));
}

/** Only `isReady` decides the status code; other problems are reported without making the process unready. Names no account. */
function describeHealth(state: CellState) {
  const { isReady, checks, sending, quarantine, heldAccounts, lastFailover } = state;
  const degraded = findProblems({ ...state, heldAccounts: [] }).map(({ what }) => what);
  return { isReady, checks, degraded, sending, quarantine, heldAccounts: heldAccounts.length, lastFailover };
}

async function healthWithoutState(db: Database) {
  return { ...(await checkReadiness(db)), degraded: ["The state of sending could not be read."] };
}

/** Closes in the given order: the work first, the database last. A failure does not keep the others open. */
async function closeAll(opened: { close(): Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const each of opened) await each.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "some resources could not be closed");
}
