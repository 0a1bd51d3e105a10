import { setTimeout as sleep } from "node:timers/promises";
import { withDeadline } from "../deadline.ts";
import type { Log } from "../log.ts";
import { SchemaMissingError } from "./require-usable-database.ts";

interface WaitOptions {
  /** Throws a `SchemaMissingError` while migrations are missing. */
  check: () => Promise<void>;
  /** Called once, before the first wait. */
  onWait: (missing: string[]) => Promise<{ close(): Promise<void>; operations: string }>;
  log: Log;
  signal: AbortSignal;
  pauseMs?: number;
}

const defaultPauseMs = 3_000;
const checkWithinMs = 30_000;
/** Repeated, so that the reason is among the newest lines that a supervisor shows. */
const logEveryMs = 60_000;

/**
 * Looks every few seconds whether the schema is complete, instead of exiting: a supervisor that does not restart a process with a
 * wrong setting (code 78) would need a manual start after `postern migrate`. Any other reason ends the start as before. Returns
 * false when the signal ended the wait.
 */
export async function waitForSchema({
  check,
  onWait,
  log,
  signal,
  pauseMs = defaultPauseMs,
}: WaitOptions): Promise<boolean> {
  let servers: Awaited<ReturnType<typeof onWait>> | undefined;
  const begun = performance.now();
  try {
    for (let loggedAt = Number.NEGATIVE_INFINITY; ; ) {
      const missing = await findMissing(check);
      if (missing === undefined) break;
      servers ??= await onWait(missing);
      if (performance.now() - loggedAt > logEveryMs) {
        log.warn({ missing, run: "postern migrate", operations: servers.operations }, "schema.waiting");
        loggedAt = performance.now();
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return false;
    }
  } finally {
    await servers?.close();
  }
  if (servers !== undefined) log.info({ seconds: Math.round((performance.now() - begun) / 1000) }, "schema.complete");
  return true;
}

async function findMissing(check: () => Promise<void>): Promise<string[] | undefined> {
  try {
    await withDeadline(checkWithinMs, "the check of the schema", check());
    return undefined;
  } catch (error) {
    if (error instanceof SchemaMissingError) return error.missing;
    throw error;
  }
}
