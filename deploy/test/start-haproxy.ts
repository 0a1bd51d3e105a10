import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../service/test/free-port.ts";
import { root } from "./container-file.ts";
import { isListening } from "./is-listening.ts";

const configuration = join(root, "deploy/cells/haproxy.cfg");
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

/** Runs deploy/cells/haproxy.cfg unchanged on loopback; `settings` are its variables. */
export async function startHaproxy(settings: Record<string, string>): Promise<Haproxy> {
  const port = await freePort();
  const child = spawn("haproxy", ["-db", "-f", configuration], {
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
