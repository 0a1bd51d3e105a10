import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** An operating system lock on a file, taken through SQLite. It is released when its process ends, even when it is killed. */
export interface FileLock {
  release(): void;
}

/** Returns undefined while another process holds an exclusive or shared lock on the file. */
export function tryExclusiveLock(path: string): FileLock | undefined {
  return tryLock(path, "begin exclusive");
}

/** Returns undefined while another process holds an exclusive lock on the file. */
export function trySharedLock(path: string): FileLock | undefined {
  // SQLite takes the shared lock when it reads; an empty file has a schema to read as well.
  return tryLock(path, "begin; select count(*) from sqlite_schema");
}

export async function waitForExclusiveLock(path: string, waitMs: number): Promise<FileLock | undefined> {
  for (const deadline = performance.now() + waitMs; performance.now() < deadline; await sleep(50)) {
    const lock = tryExclusiveLock(path);
    if (lock !== undefined) return lock;
  }
  return undefined;
}

function tryLock(path: string, statement: string): FileLock | undefined {
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
