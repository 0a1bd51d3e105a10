import type { WorkerConfig } from "../config.ts";
import { applicationName } from "../db/code-range.ts";
import { openDatabase } from "../db/database.ts";
import { requireDirect } from "../db/pooler/require-usable-pooler.ts";
import type { Log } from "../log.ts";
import { requireUsableDatabase } from "./require-usable-database.ts";
import { serveWhileWaiting } from "./serve-while-waiting.ts";
import { waitForSchema } from "./wait-for-schema.ts";

interface WaitingProcess {
  name: "api" | "worker" | "serve";
  config: WorkerConfig;
  operations: { host: string; port: number };
  log: Log;
}

/**
 * Waits for `postern migrate` on a direct connection: a pooler can be checked only when `postern migrate` has stored the settings
 * of the role. Returns false after a signal; without a handler, SIGTERM has no effect on the first process of a container.
 */
export async function waitUntilUsable({ name, config, operations, log }: WaitingProcess): Promise<boolean> {
  await requireDirect(config.database);
  const db = openDatabase({
    ...config.database,
    url: config.database.directUrl,
    poolSize: 1,
    applicationName: applicationName(name),
    onIdleError: (err) => log.warn({ err }, "database.connection-lost"),
  });
  const ending = new AbortController();
  const end = () => ending.abort();
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.once(signal, end);
  try {
    return await waitForSchema({
      check: () => requireUsableDatabase(db, config.provider.kind),
      onWait: (missing) =>
        serveWhileWaiting({ role: name, http: name === "worker" ? undefined : config.http, operations, missing }),
      log,
      signal: ending.signal,
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
    // Not awaited: a lost connection would delay the start or its failure.
    void db.close().catch(() => undefined);
  }
}
