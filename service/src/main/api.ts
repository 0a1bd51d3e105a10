import closeWithGrace from "close-with-grace";
import { createApiServer } from "../api/server.ts";
import { countKeysByPepper } from "../api-keys/api-key-store.ts";
import { type Config, loadEnvironment, readConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { findMissingMigrations, requireDurable } from "../db/require-usable.ts";
import { AppError, ConfigurationError } from "../errors.ts";
import { createLog, type Log } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { rememberProvider } from "../provider/remember-provider.ts";
import { createApiParts } from "./api-parts.ts";
import { startOperationsServer } from "./operations-server.ts";
import { trackConnections } from "./track-connections.ts";

const stopWithinMs = 25_000;

export async function runApi(): Promise<void> {
  const config = readConfig(loadEnvironment());
  const log = createLog(config.logLevel);
  const db = openDatabase({
    ...config.database,
    applicationName: "postern-api",
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
  // What is left open would keep a process that cannot start from ending.
  await requireUsable(db, config, log)
    .then(() => serve(db, config, log))
    .catch(async (error) => {
      await db.close();
      throw error;
    });
}

async function serve(db: Database, config: Config, log: Log): Promise<void> {
  const metrics = createMetrics();
  const parts = createApiParts(config, db, log, metrics);
  const api = await createApiServer(parts);
  const letGo = trackConnections(api.server);
  const operations = await startOperationsServer(config.operations, {
    metrics: () => metrics.registry.metrics(),
    health: async () => ({ ...(await parts.readiness()), connections: db.connections() }),
  }).catch(explainPort("OPERATIONS_PORT", config.operations));
  const address = await api
    .listen(config.http)
    .catch(explainPort("PORT", config.http))
    .catch(async (error) => {
      await operations.close();
      throw error;
    });
  log.info({ address, operations: operations.address, provider: config.provider.kind }, "api.started");

  const logger = { error: (err: unknown) => log.error({ err }, "api.stop-failed") };
  closeWithGrace({ delay: stopWithinMs, logger }, async ({ err, signal }) => {
    if (err !== undefined) log.error({ err }, "api.broke");
    log.info({ signal }, "api.stopping");
    await letGo(() => api.close());
    await operations.close();
    await db.close();
    log.info("api.stopped");
  });
}

function explainPort(key: string, { host, port }: { host: string; port: number }) {
  return (error: unknown): never => {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    const reason = error.code === "EADDRINUSE" ? "another process uses it" : String(error.code);
    const message = `${key} is ${port}, but ${host}:${port} cannot be listened on: ${reason}.`;
    throw new AppError("UNAVAILABLE", message, { cause: error });
  };
}

/** Everything that would make the promises untrue is found before the first request is taken. */
async function requireUsable(db: Database, config: Config, log: Log): Promise<void> {
  await requireDurable(db);
  const missing = await findMissingMigrations(db).catch(schemaIsAbsent);
  if (missing.length > 0) {
    throw new ConfigurationError(`The database lacks ${missing.join(", ")}. Run \`postern migrate\` first.`);
  }
  await rememberProvider(db, config.provider.kind);
  await warnOfUnreachableKeys(db, config, log);
}

function schemaIsAbsent(error: unknown): string[] {
  const isAbsent = error instanceof Error && "code" in error && error.code === "42P01";
  if (!isAbsent) throw error;
  return ["its tables"];
}

/** A pepper retired too early would show only as customers who cannot log in; here it is seen at start. */
async function warnOfUnreachableKeys(db: Database, config: Config, log: Log): Promise<void> {
  const { current, second } = config.secrets.apiKeyPepper;
  for (const { pepperId, keys } of await countKeysByPepper(db)) {
    if (pepperId !== current.id && pepperId !== second?.id) {
      log.warn({ pepper_id: pepperId, keys }, "api-keys.pepper-missing");
    }
  }
}
