import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const stopWithinMs = 20_000;

/**
 * Stops a server that an earlier run left on this data folder because its postgres-process.ts was killed. After a crash of the
 * machine, the process id in `postmaster.pid` can belong to another program, and PostgreSQL would refuse to start because of
 * it; in that case this function deletes the file.
 */
export async function stopLeftoverPostgres(data: string): Promise<void> {
  const file = join(data, "postmaster.pid");
  const pid = readPid(file);
  if (pid === undefined) return;
  if (!isServing(pid, data)) return rmSync(file, { force: true });
  process.kill(pid, "SIGINT");
  for (const deadline = performance.now() + stopWithinMs; isServing(pid, data); await sleep(50)) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL of an earlier run (process ${pid}) does not stop. Kill it, then start again.`);
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isServing(pid: number, data: string): boolean {
  try {
    return commandOf(pid).includes(`-D ${data}`);
  } catch {
    return false;
  }
}

/** Small Linux images have no ps, and macOS has no /proc. */
function commandOf(pid: number): string {
  if (existsSync("/proc/self/cmdline")) return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  return execFileSync("ps", ["-o", "args=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
}
