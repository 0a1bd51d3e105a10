import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** A lock of the operating system on a file, through SQLite: it ends with its process, however that ends. */
export interface FileLock {
  release(): void;
}

/** Returns undefined when another process holds the file, alone or shared. */
export function holdAlone(path: string): FileLock | undefined {
  return hold(path, "begin exclusive");
}

export function holdShared(path: string): FileLock | undefined {
  // Reading is what takes the lock; the schema is there to be read in an empty file too.
  return hold(path, "begin; select count(*) from sqlite_schema");
}

export async function waitToHoldAlone(path: string, waitMs: number): Promise<FileLock | undefined> {
  for (const endsAt = performance.now() + waitMs; performance.now() < endsAt; await sleep(50)) {
    const lock = holdAlone(path);
    if (lock !== undefined) return lock;
  }
  return undefined;
}

function hold(path: string, statement: string): FileLock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec(statement);
    return { release: () => file.close() };
  } catch (error) {
    file.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}
