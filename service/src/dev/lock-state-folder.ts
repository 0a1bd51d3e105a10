import { chmodSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { type FileLock, tryExclusiveLock, waitForExclusiveLock } from "./file-lock.ts";
import { processesLock, type StateFolder } from "./state-folder.ts";
import { shortPath } from "./welcome-text.ts";

const waitMs = 40_000;

/** One `postern dev` at a time uses a state folder. Only its owner may enter it, also when someone else created it. */
export function lockStateFolder(state: StateFolder): FileLock {
  const lock = tryExclusiveLock(state.lock);
  if (lock !== undefined) {
    chmodSync(state.path, 0o700);
    return lock;
  }
  const folder = shortPath(state.path);
  throw new AppError(
    "CONFLICT",
    `Another \`postern dev\` uses ${folder}. Stop it, or use another folder: postern dev --state DIR`,
  );
}

/** The processes of an earlier run stop by themselves when it was killed; see stop-with-parent.ts. */
export async function waitForEarlierRun(state: StateFolder, say: (text: string) => void): Promise<void> {
  const path = join(state.path, processesLock);
  const notice = setTimeout(() => say("  Waiting for the processes of an earlier run to stop …"), 500);
  const lock = await waitForExclusiveLock(path, waitMs);
  clearTimeout(notice);
  if (lock === undefined) {
    const message = `Processes of an earlier run still use ${shortPath(state.path)}. Find and stop them: fuser ${path}`;
    throw new AppError("CONFLICT", message);
  }
  lock.release();
}
