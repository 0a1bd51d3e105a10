import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const checkEveryMs = 200;
const hasProc = existsSync("/proc/self/stat");

/**
 * Resolves when the npm that runs this process has ended, or a process between npm and this one. Their signals do not reach this
 * process: npm passes SIGTERM to its shell only, and nobody passes on SIGKILL.
 *
 * Without npm among its parents, this process watches its own parent only: a terminal keeps the variables of an npm that ended long ago.
 */
export function waitForNpmEnd(): Promise<void> {
  const found = parentsUpToNpm();
  const parents = found ?? [process.ppid];
  const hasNpmEnded = found === undefined && (isScriptShell(process.ppid) || isAdopted());
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (!hasNpmEnded && parents.every((pid, index) => isParent(pid, parents[index - 1]))) return;
    clearInterval(timer);
    resolve();
  }, checkEveryMs);
  timer.unref();
  return promise;
}

const maxParents = 20;

/** The parents of this process from the nearest to npm; undefined when npm is not among them. */
function parentsUpToNpm(): number[] | undefined {
  const parents = [process.ppid];
  for (let pid = process.ppid; parents.length < maxParents && pid > 1; ) {
    if (isNpm(pid)) return parents;
    pid = parentOf(pid);
    parents.push(pid);
  }
  return undefined;
}

/** The process that adopts orphans belongs to another session. */
function isAdopted(): boolean {
  return process.ppid === 1 || (hasProc && statOf(process.ppid)[3] !== statOf(process.pid)[3]);
}

/** npm runs a script by `sh -c`. Such a parent without npm above it has lost its npm. */
function isScriptShell(pid: number): boolean {
  const [program = "", flag] = commandOf(pid);
  return isShell(program) && flag === "-c";
}

/** Without /proc, the check is whether the process exists: starting `ps` several times a second would cost too much. */
function isParent(pid: number, child: number | undefined): boolean {
  if (child === undefined) return process.ppid === pid;
  return hasProc ? parentOf(child) === pid : exists(pid);
}

/** A shell may name npm or node in its arguments. */
function isNpm(pid: number): boolean {
  const [program = "", ...rest] = commandOf(pid);
  return !isShell(program) && /npm|yarn|bun|node/.test([program, ...rest].join(" "));
}

function isShell(program: string): boolean {
  return /(^|\/)[a-z]*sh$/.test(program);
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
    return Number(statOf(pid)[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The fields after the name of the program, which is in parentheses and may hold spaces: state, parent, group, session, … */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
  } catch {
    return [];
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
