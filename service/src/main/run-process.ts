import closeWithGrace from "close-with-grace";
import { checkReadiness, shareForASecond } from "../api/readiness.ts";
import { type Config, loadEnvironment, readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createLog, type Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { explainPort } from "./explain-port.ts";
import { startOperationsServer } from "./operations-server.ts";
import { requireUsableDatabase } from "./require-usable-database.ts";

const stopWithinMs = 25_000;

export interface ProcessGround {
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

/** The frame of every process that stays: settings, database, operations port, the work itself, and the way out. */
export async function runProcess(
  name: "api" | "worker",
  start: (ground: ProcessGround) => Promise<Running>,
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
    const operations = await openOperations(config, db, metrics);
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

function openOperations(config: Config, db: Database, metrics: Metrics) {
  const readiness = shareForASecond(() => checkReadiness(db));
  return startOperationsServer(config.operations, {
    metrics: () => metrics.registry.metrics(),
    health: async () => ({ ...(await readiness()), connections: db.connections() }),
  }).catch(explainPort("OPERATIONS_PORT", config.operations));
}

/** In the order given: the work first, the database last. */
async function closeAll(opened: { close(): Promise<void> }[]): Promise<void> {
  for (const each of opened) await each.close();
}
