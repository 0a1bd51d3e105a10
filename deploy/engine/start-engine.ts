import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDocker, type Docker } from "./docker.ts";
import { engineProgram } from "./required-programs.ts";

interface Engine {
  docker: Docker;
  stop(): Promise<void>;
}

export interface EngineOptions {
  folder: string;
  /** The control group of all its containers. */
  controlGroup: string;
  /** Without networks of its own an engine changes no firewall rule; builds then use the network of the machine. */
  hasNetworks: boolean;
}

/** Starts an engine whose files, socket and containers belong to this run alone. Throws with its log when it does not answer. */
export async function startEngine({ folder, controlGroup, hasNetworks }: EngineOptions): Promise<Engine> {
  hideSystemContainerd();
  raiseShare(controlGroup);
  mkdirSync(folder, { recursive: true });
  // A killed engine leaves this file; its folder belongs to this run alone, and so does its process number.
  rmSync(join(folder, "docker.pid"), { force: true });
  const configFile = join(folder, "daemon.json");
  writeFileSync(configFile, JSON.stringify(settings(folder, controlGroup, hasNetworks)));
  const logFile = join(folder, "dockerd.log");
  const log = openSync(logFile, "a");
  const process = spawn(engineProgram, ["--config-file", configFile], { stdio: ["ignore", log, log] });
  const exited = new Promise<void>((resolve) => process.once("close", () => resolve()));
  const docker = createDocker(folder);
  const deadline = performance.now() + 60_000;
  while (!(await answers(docker))) {
    if (process.exitCode === null && performance.now() < deadline) {
      await sleep(200);
      continue;
    }
    process.kill("SIGKILL");
    throw new Error(`the container engine does not start:\n${readFileSync(logFile, "utf8").slice(-4000)}`);
  }
  return {
    docker,
    async stop() {
      process.kill("SIGTERM");
      const timer = setTimeout(() => process.kill("SIGKILL"), 30_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function answers(docker: Docker): Promise<boolean> {
  return docker(["version"], { timeoutSeconds: 5 }).then(
    () => true,
    () => false,
  );
}

function settings(folder: string, controlGroup: string, hasNetworks: boolean) {
  return {
    hosts: [`unix://${join(folder, "docker.sock")}`],
    "data-root": join(folder, "data"),
    "exec-root": join(folder, "exec"),
    pidfile: join(folder, "docker.pid"),
    "cgroup-parent": `/${controlGroup}`,
    "exec-opts": ["native.cgroupdriver=cgroupfs"],
    // Some machines do not permit more open files than this.
    "default-ulimits": { nofile: { Name: "nofile", Soft: 20_000, Hard: 20_000 } },
    ...(hasNetworks ? {} : { bridge: "none", iptables: false, "ip-forward": false }),
  };
}

/** The scheduler treats a control group as one process. All containers together get the share of ten, as without a group. */
function raiseShare(controlGroup: string): void {
  const [folder, file, share] = existsSync("/sys/fs/cgroup/cgroup.controllers")
    ? ["/sys/fs/cgroup", "cpu.weight", "1000"]
    : ["/sys/fs/cgroup/cpu", "cpu.shares", "10240"];
  mkdirSync(join(folder, controlGroup), { recursive: true });
  const path = join(folder, controlGroup, file);
  if (existsSync(path)) writeFileSync(path, share);
}

/** An engine uses the system's containerd if it runs. This run has its own mounts, so it can hide that folder from its engine. */
function hideSystemContainerd(): void {
  if (existsSync("/run/containerd")) execFileSync("mount", ["-t", "tmpfs", "none", "/run/containerd"]);
}
