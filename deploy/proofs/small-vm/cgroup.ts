import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Limits {
  cpus: number;
  megabytes: number;
}

export interface Cgroup {
  version: 1 | 2;
  /** Runs a command whose processes are in the group from their start, so that all their memory counts. */
  inside(command: readonly string[]): [string, ...string[]];
  /** Memory that the kernel cannot take back, in MB: heaps, stacks and shared memory, without the page cache. */
  usedMegabytes(): number;
  oomKills(): number;
  throttledSeconds(): number;
  /** The group must have no process. */
  remove(): Promise<void>;
}

const periodMicroseconds = 100_000;

/**
 * Makes a group with these limits and without swap. Throws when that is impossible: a measurement without limits would prove nothing.
 *
 * The limit of CPU time alone is not a machine with as many cores: two processes that run at once on two cores use up the time of both, and
 * then the kernel stops both for up to 50 ms. So the commands are also bound to as many cores.
 */
export function makeCgroup(name: string, limits: Limits): Cgroup {
  try {
    return mountsOf("cgroup2").some(hasControllers) ? makeV2(name, limits) : makeV1(name, limits);
  } catch (cause) {
    throw new Error(
      "No cgroup with limits of CPU and memory can be made here. That needs root and a writable /sys/fs/cgroup.",
      {
        cause,
      },
    );
  }
}

function makeV2(name: string, { cpus, megabytes }: Limits): Cgroup {
  const root = mountsOf("cgroup2").find(hasControllers) ?? "";
  writeFileSync(join(root, "cgroup.subtree_control"), "+cpu +memory");
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "memory.max"), bytes(megabytes));
  // A kernel without swap has no such file.
  if (existsSync(join(folder, "memory.swap.max"))) writeFileSync(join(folder, "memory.swap.max"), "0");
  writeFileSync(join(folder, "cpu.max"), `${cpus * periodMicroseconds} ${periodMicroseconds}`);
  const memory = () => valuesIn(join(folder, "memory.stat"));
  return {
    version: 2,
    inside: (command) => joinFirst([folder], onCores(cpus, command)),
    usedMegabytes: () => megabytesOf(memory(), ["anon", "shmem"]),
    oomKills: () => valuesIn(join(folder, "memory.events")).get("oom_kill") ?? Number.NaN,
    throttledSeconds: () => (valuesIn(join(folder, "cpu.stat")).get("throttled_usec") ?? Number.NaN) / 1e6,
    remove: () => removeAll([folder]),
  };
}

function makeV1(name: string, { cpus, megabytes }: Limits): Cgroup {
  const memoryFolder = join(mountOfController("memory"), name);
  const cpuFolder = join(mountOfController("cpu"), name);
  for (const folder of [memoryFolder, cpuFolder]) mkdirSync(folder);
  writeFileSync(join(memoryFolder, "memory.limit_in_bytes"), bytes(megabytes));
  const withSwap = join(memoryFolder, "memory.memsw.limit_in_bytes");
  // A kernel that does not account for swap has no such file.
  if (existsSync(withSwap)) writeFileSync(withSwap, bytes(megabytes));
  writeFileSync(join(cpuFolder, "cpu.cfs_period_us"), `${periodMicroseconds}`);
  writeFileSync(join(cpuFolder, "cpu.cfs_quota_us"), `${cpus * periodMicroseconds}`);
  const memory = () => valuesIn(join(memoryFolder, "memory.stat"));
  return {
    version: 1,
    inside: (command) => joinFirst([memoryFolder, cpuFolder], onCores(cpus, command)),
    usedMegabytes: () => megabytesOf(memory(), ["total_rss", "total_shmem"]),
    oomKills: () => valuesIn(join(memoryFolder, "memory.oom_control")).get("oom_kill") ?? Number.NaN,
    throttledSeconds: () => (valuesIn(join(cpuFolder, "cpu.stat")).get("throttled_time") ?? Number.NaN) / 1e9,
    remove: () => removeAll([memoryFolder, cpuFolder]),
  };
}

function mountsOf(type: string): string[] {
  return mounts().flatMap((mount) => (mount.type === type ? [mount.folder] : []));
}

function mountOfController(controller: string): string {
  const mount = mounts().find(({ type, options }) => type === "cgroup" && options.includes(controller));
  if (mount === undefined) throw new Error(`no cgroup is mounted for ${controller}`);
  return mount.folder;
}

function mounts(): { folder: string; type: string; options: string[] }[] {
  const lines = readFileSync("/proc/mounts", "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [, folder = "", type = "", options = ""] = line.split(" ");
    return { folder, type, options: options.split(",") };
  });
}

function hasControllers(root: string): boolean {
  const controllers = readFileSync(join(root, "cgroup.controllers"), "utf8").trim().split(" ");
  return ["cpu", "memory"].every((needed) => controllers.includes(needed));
}

function onCores(cpus: number, command: readonly string[]): string[] {
  return ["taskset", "--cpu-list", `0-${cpus - 1}`, ...command];
}

/** The shell moves itself, and then becomes the command. */
function joinFirst(folders: string[], command: readonly string[]): [string, ...string[]] {
  const moves = folders.map((folder) => `echo $$ > '${folder}/cgroup.procs'`);
  return ["/bin/sh", "-c", [...moves, 'exec "$@"'].join(" && "), "sh", ...command];
}

function valuesIn(file: string): Map<string, number> {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => line.split(" ")).map(([key = "", value]) => [key, Number(value)]));
}

function megabytesOf(values: Map<string, number>, names: string[]): number {
  return names.reduce((sum, name) => sum + (values.get(name) ?? Number.NaN), 0) / 1024 ** 2;
}

function bytes(megabytes: number): string {
  return `${megabytes * 1024 ** 2}`;
}

/** The kernel needs a moment to forget the last process. */
async function removeAll(folders: string[]): Promise<void> {
  for (const folder of folders) {
    for (let left = 100; existsSync(folder) && left > 0; left--) {
      try {
        rmdirSync(folder);
      } catch (error) {
        if (left === 1) throw new Error(`${folder} has ${readdirSync(folder).length} files`, { cause: error });
        await sleep(50);
      }
    }
  }
}
