import type { Config } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { Log } from "../log.ts";

const poolSize = 2;

/** Connections of their own for what SNS pushes: it changes sends, and the other connections of the API only read them. */
export function openFeedbackDatabase({ database }: Config, log: Log): Database {
  return openDatabase({
    ...database,
    poolSize,
    applicationName: "postern-api-feedback",
    updatesSends: true,
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
}
