import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Holder {
  pid: number;
  /** Tells a process from an earlier one with the same id: in a container every start has the same. */
  startedAt: number;
}

/** Two simulators appending to one journal would tear each other's lines. A lock left by a killed process is taken over. */
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

/** A process that has ended takes signals until its parent asks how; in a container that may be never. */
function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
