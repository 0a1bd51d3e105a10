import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 20_000;

/**
 * Ends a server that an earlier run left on this data, if its guard was killed. After a crash of the machine the number in
 * `postmaster.pid` may belong to a stranger by now, and PostgreSQL would refuse to start because of it; then the file goes.
 */
export async function endLeftover(data: string): Promise<void> {
  const file = join(data, "postmaster.pid");
  const pid = readPid(file);
  if (pid === undefined) return;
  if (!isServing(pid, data)) return rmSync(file, { force: true });
  process.kill(pid, "SIGINT");
  for (const endsAt = performance.now() + patienceMs; isServing(pid, data); await sleep(50)) {
    if (performance.now() > endsAt)
      throw new Error(`An earlier PostgreSQL (process ${pid}) does not end; kill it first.`);
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

/** Small images of Linux have no ps, macOS has no /proc. */
function commandOf(pid: number): string {
  if (existsSync("/proc/self/cmdline")) return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  return execFileSync("ps", ["-o", "args=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
}
