import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const checkEveryMs = 200;
const hasProc = existsSync("/proc/self/stat");

/**
 * Resolves when the npm that runs this process has ended, or the shell between npm and this process. Their signals do not reach
 * this process: npm passes SIGTERM to its shell only, and nobody passes on SIGKILL.
 */
export function waitForNpmEnd(): Promise<void> {
  const { shell, npm } = findNpm();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    const isRunning = process.ppid === (shell ?? npm) && (shell === undefined || isParent(npm, shell)) && isNpm(npm);
    if (isRunning) return;
    clearInterval(timer);
    resolve();
  }, checkEveryMs);
  timer.unref();
  return promise;
}

/** npm runs a script by `sh -c`. Some shells replace themselves by the script; then npm is the parent of this process. */
function findNpm(): { shell: number | undefined; npm: number } {
  const { ppid } = process;
  const [program = "", flag] = commandOf(ppid);
  const isShell = /(^|\/)[a-z]*sh$/.test(program) && flag === "-c";
  return isShell ? { shell: ppid, npm: parentOf(ppid) } : { shell: undefined, npm: ppid };
}

/** Without /proc, the check is whether the process exists: starting `ps` several times a second would cost too much. */
function isParent(pid: number, child: number): boolean {
  return hasProc ? parentOf(child) === pid : exists(pid);
}

/** False for the process that adopted this one because npm ended before the first check. */
function isNpm(pid: number): boolean {
  return !hasProc || /npm|yarn|bun|node/.test(commandOf(pid).join(" "));
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The parent is 0 for a process that does not exist. */
function parentOf(pid: number): number {
  try {
    if (!hasProc) return Number(ps(pid, "ppid="));
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields after the name of the program, which is in parentheses and may hold spaces: state, parent, …
    const [, parent] = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
    return Number(parent);
  } catch {
    return 0;
  }
}

function commandOf(pid: number): string[] {
  try {
    return hasProc ? readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") : ps(pid, "args=").trim().split(" ");
  } catch {
    return [];
  }
}

function ps(pid: number, field: string): string {
  return execFileSync("ps", ["-o", field, "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" });
}
