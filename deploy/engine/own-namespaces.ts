import { spawn } from "node:child_process";
import { existsSync, globSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Job {
  /** A file that runs as the first process of the namespaces. It reads the options from its argument. */
  program: string;
  options: object;
  /** A network of its own has loopback and the bridges of the engine, and no way out. */
  network: "own" | "machine";
  timeoutSeconds: number;
  /** Ends the program and everything that it started. */
  interrupted: AbortSignal;
  onLine(line: string): void;
}

/**
 * Runs a program in namespaces for processes and mounts. When it ends, or this process dies, the kernel ends every process that it
 * started, and with them their mounts and networks: no container can outlive the run.
 */
export async function runInNamespaces({
  program,
  options,
  network,
  timeoutSeconds,
  interrupted,
  onLine,
}: Job): Promise<void> {
  const namespaces = [
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    ...(network === "own" ? ["--net"] : []),
  ];
  // The shell is process 1: it collects ended processes whose parents are gone, which Node does not.
  const script = `${network === "own" ? "ip link set lo up; " : ""}"$@"; exit $?`;
  const command = [
    "unshare",
    ...namespaces,
    "sh",
    "-c",
    script,
    "sh",
    process.execPath,
    program,
    JSON.stringify(options),
  ];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", ...command], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => void child.kill("SIGKILL");
  const timer = setTimeout(kill, timeoutSeconds * 1000);
  process.once("exit", kill);
  interrupted.addEventListener("abort", kill);
  createInterface(child.stdout).on("line", onLine);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(timer);
  process.off("exit", kill);
  if (code !== 0)
    throw new Error(
      `${program} ended with ${code ?? "SIGKILL: its time was up, or the run was interrupted"}; its errors are above`,
    );
}

/** An engine leaves empty control groups behind when it is killed. */
export function removeControlGroups(name: string): void {
  const tops = [`/sys/fs/cgroup/${name}`, ...globSync(`/sys/fs/cgroup/*/${name}`)].filter((path) => existsSync(path));
  for (const top of tops) {
    const below = readdirSync(top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
    const folders = below.map((entry) => join(entry.parentPath, entry.name));
    for (const folder of [...folders.toSorted((one, other) => other.length - one.length), top]) rmdirSync(folder);
  }
}
