import closeWithGrace from "close-with-grace";
import { type Config, loadEnvironment, readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createLog, type Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { type CellState, countedForMachines, readCellState } from "../status/cell-state.ts";
import { findProblems } from "../status/find-problems.ts";
import { measurePartitions } from "../status/measure-partitions.ts";
import { measureSending } from "../status/measure-sending.ts";
import { checkReadiness, shareForASecond } from "../status/readiness.ts";
import { explainPort } from "./explain-port.ts";
import { startOperationsServer } from "./operations-server.ts";
import { requireUsableDatabase } from "./require-usable-database.ts";

const stopWithinMs = 25_000;

export interface ProcessContext {
  config: Config;
  db: Database;
  log: Log;
  metrics: Metrics;
}

interface Running {
  /** Facts for the log line that says it has started. */
  facts: Record<string, unknown>;
  stop(): Promise<void>;
}

/** Beside each other on one machine by default; with OPERATIONS_PORT set, each process needs its own. */
const usualOperationsPort = { api: 3001, worker: 3002 };

/** The frame of every process that stays: settings, database, operations port, the work itself, and the way out. */
export async function runProcess(
  name: "api" | "worker",
  start: (context: ProcessContext) => Promise<Running>,
): Promise<void> {
  const config = readConfig(loadEnvironment());
  const log = createLog(config.logLevel);
  const db = openDatabase({
    ...config.database,
    applicationName: `postern-${name}`,
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
  const opened: { close(): Promise<void> }[] = [db];
  try {
    await requireUsableDatabase(db, config, log);
    const metrics = createMetrics();
    measurePartitions(metrics, db);
    const readState = shareForASecond(() => readCellState(db, config.feedback, countedForMachines));
    measureSending(metrics, readState);
    const listen = { ...config.operations, port: config.operations.port ?? usualOperationsPort[name] };
    const operations = await openOperations(listen, db, metrics, readState);
    opened.unshift(operations);
    const running = await start({ config, db, log, metrics });
    opened.unshift({ close: running.stop });
    log.info({ ...running.facts, operations: operations.address, provider: config.provider.kind }, `${name}.started`);
  } catch (error) {
    // What is left open would keep a process that cannot start from ending.
    await closeAll(opened);
    throw error;
  }

  const logger = { error: (err: unknown) => log.error({ err }, `${name}.stop-failed`) };
  closeWithGrace({ delay: stopWithinMs, logger }, async ({ err, signal }) => {
    if (err !== undefined) log.error({ err }, `${name}.broke`);
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
        ...(await (state === undefined ? healthUnread(db) : describeHealth(state))),
        connections: db.connections(),
      };
    },
  }).catch(explainPort("OPERATIONS_PORT", listen));
}

/** Only `isReady` decides the status code: what else is wrong is told and takes no process out. Names nobody. */
function describeHealth(state: CellState) {
  const { isReady, checks, sending, quarantine, heldAccounts, lastFailover } = state;
  const degraded = findProblems({ ...state, heldAccounts: [] }).map(({ what }) => what);
  return { isReady, checks, degraded, sending, quarantine, heldAccounts: heldAccounts.length, lastFailover };
}

async function healthUnread(db: Database) {
  return { ...(await checkReadiness(db)), degraded: ["How sending stands could not be read."] };
}

/** In the order given: the work first, the database last. One that fails to close does not keep the others open. */
async function closeAll(opened: { close(): Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const each of opened) await each.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "not everything could be closed");
}
