import { type Database, openDatabase } from "../../service/src/db/database.ts";
import type { LoadedDataset } from "./load-dataset.ts";

export function urlOf(serverUrl: string, { database }: LoadedDataset): string {
  const url = new URL(serverUrl);
  url.pathname = database;
  return url.href;
}

/** One connection with the settings of this process. */
export function connect(url: string, name: "api" | "worker"): Database {
  return openDatabase({
    url,
    poolSize: 1,
    applicationName: `postern-${name}`,
    statementTimeoutMs: 60_000,
    onIdleError: () => undefined,
  });
}
