import type { Environment } from "../config.ts";
import type { Database } from "../db/database.ts";

interface CommandContext {
  db: Database;
  environment: Environment;
}

interface CommandOptions {
  /** For commands whose statements may take longer than a request may. */
  statementTimeoutMs?: number;
}

export type OnDatabase = ReturnType<typeof createOnDatabase>;

/** Creates actions that import the code of their command and open the database only when they run. */
export function createOnDatabase(loadEnvironment: () => Promise<Environment>) {
  return <Module, Args extends unknown[]>(
    load: () => Promise<Module>,
    run: (module: Module, context: CommandContext, ...args: Args) => Promise<void>,
    options: CommandOptions = {},
  ) => {
    return async (...args: Args): Promise<void> => {
      const module = await load();
      const environment = await loadEnvironment();
      const { readDatabaseConfig } = await import("../config.ts");
      const { applicationName } = await import("../db/code-range.ts");
      const { openDatabase } = await import("../db/database.ts");
      const { database } = readDatabaseConfig(environment);
      const named = { applicationName: applicationName("admin"), onIdleError: () => undefined };
      // Not through a pooler, whose sessions have the time limits of a request.
      const db = openDatabase({ url: database.directUrl, ...named, ...options, poolSize: 2 });
      try {
        await run(module, { db, environment }, ...args);
      } finally {
        await db.close();
      }
    };
  };
}
