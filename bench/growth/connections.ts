import { type Database, openDatabase } from "../../service/src/db/database.ts";
import type { LoadedWorld } from "./load-world.ts";

export function urlOf(serverUrl: string, { database }: LoadedWorld): string {
  const url = new URL(serverUrl);
  url.pathname = database;
  return url.href;
}

/** One connection as the process of this name has them. */
export function connect(url: string, name: "api" | "worker"): Database {
  return openDatabase({
    url,
    poolSize: 1,
    applicationName: `postern-${name}`,
    statementTimeoutMs: 60_000,
    onIdleError: () => undefined,
  });
}
