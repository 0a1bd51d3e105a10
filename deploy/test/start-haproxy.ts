import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../service/test/free-port.ts";
import { root } from "./container-file.ts";
import { isListening } from "./is-listening.ts";

const shipped = join(root, "deploy/cells");
// Debian installs haproxy in a folder that is not on the PATH of ordinary users.
const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

export interface Haproxy {
  port: number;
  pid: number;
  /** Its log and error output. */
  output(): string;
  stop(): Promise<void>;
}

export function isHaproxyInstalled(): boolean {
  return spawnSync("haproxy", ["-v"], { env: { PATH: path } }).status === 0;
}

/** Runs haproxy.cfg of deploy/cells, or of a copy of this folder, unchanged on loopback; `settings` are its variables. */
export function startHaproxy(settings: Record<string, string>, folder = shipped): Promise<Haproxy> {
  return start(["-db", "-f", join(folder, "haproxy.cfg")], settings);
}

export interface ReloadableHaproxy extends Haproxy {
  /** As `systemctl reload haproxy` does; resolves when a new worker process has read the configuration and the maps. */
  reload(): Promise<void>;
}

/** With a master process, as Debian's unit runs it. */
export async function startReloadableHaproxy(
  settings: Record<string, string>,
  folder: string,
): Promise<ReloadableHaproxy> {
  const proxy = await start(["-W", "-db", "-f", join(folder, "haproxy.cfg")], settings);
  const loaded = () => proxy.output().split("Loading success").length;
  return {
    ...proxy,
    async reload() {
      const before = loaded();
      for (let tries = 0; loaded() === before; tries++) {
        // A master that has just started executes itself once more, and loses a signal that comes meanwhile.
        if (tries % 40 === 0) process.kill(proxy.pid, "SIGUSR2");
        if (tries === 400) throw new Error(`HAProxy did not reload:\n${proxy.output()}`);
        await pause(25);
      }
    },
  };
}

async function start(args: string[], settings: Record<string, string>): Promise<Haproxy> {
  const port = await freePort();
  const child = spawn("haproxy", args, {
    env: {
      PATH: path,
      LISTEN: `127.0.0.1:${port}`,
      // Only root can switch to another user.
      ...(process.getuid?.() !== 0 && { WITHOUT_ROOT: "1" }),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = Promise.race([once(child, "exit"), once(child, "error")]);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (child.pid === undefined) throw new Error("HAProxy is missing: apt-get install haproxy");
    if (tries === 200 || child.exitCode !== null) {
      await stop();
      throw new Error(`HAProxy did not start:\n${output}`);
    }
    await pause(25);
  }
  return { port, pid: child.pid ?? 0, output: () => output, stop };
}
