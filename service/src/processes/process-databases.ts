import type { WorkerConfig } from "../config.ts";
import { applicationName } from "../db/code-range.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { Log } from "../log.ts";

type Connections = ReturnType<Database["connections"]>;

type Reached = WorkerConfig["database"] & { isPooled: boolean };

/** The database connections of a process, in separate pools so that one purpose cannot use up those of another. */
export interface ProcessDatabases {
  open(purpose: string, poolSize: number): Database;
  /** By purpose. */
  connections(): Record<string, Connections>;
  close(): Promise<void>;
}

export function createProcessDatabases(database: Reached, log: Log): ProcessDatabases {
  const opened = new Map<string, Database>();
  return {
    open(purpose, poolSize) {
      const db = openDatabase({
        ...database,
        poolSize,
        applicationName: applicationName(purpose),
        onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
      });
      opened.set(purpose, db);
      return db;
    },
    connections: () => Object.fromEntries([...opened].map(([purpose, db]) => [purpose, db.connections()])),
    async close() {
      await Promise.all([...opened.values()].map((db) => db.close()));
    },
  };
}
