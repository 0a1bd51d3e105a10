import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Holder {
  pid: number;
  /** Distinguishes a process from an earlier one with the same id: in a container, every start has the same id. */
  startedAt: number;
}

/** Two simulators that append to one journal would corrupt it. A new process takes over the lock of a killed process. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "lock");
  const own: Holder = { pid: process.pid, startedAt: performance.timeOrigin };
  const holder = readHolder(path);
  if (holder !== undefined && isRunning(holder, own)) {
    throw new Error(`Process ${holder.pid} already uses the data folder ${folder}`);
  }
  writeFileSync(path, JSON.stringify(own));
  return () => rmSync(path, { force: true });
}

function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function isRunning(holder: Holder, own: Holder): boolean {
  if (holder.pid === own.pid) return holder.startedAt === own.startedAt;
  try {
    return process.kill(holder.pid, 0) && !hasEnded(holder.pid);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** An ended process accepts signals until its parent reads its exit status; in a container, that may never happen. */
function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
