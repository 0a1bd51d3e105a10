import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../service/src/dev/embedded-postgres.ts";
import { root } from "./container-file.ts";

const configuration = join(root, "deploy/cells/haproxy.cfg");
// Debian keeps it where the path of an ordinary user does not lead.
const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

export interface Haproxy {
  port: number;
  pid: number;
  /** All it has logged and complained about. */
  said(): string;
  stop(): Promise<void>;
}

export function isHaproxyHere(): boolean {
  return spawnSync("haproxy", ["-v"], { env: { PATH: path } }).status === 0;
}

/** Runs deploy/cells/haproxy.cfg as it stands; `settings` are its variables. It listens on loopback only. */
export async function startHaproxy(settings: Record<string, string>): Promise<Haproxy> {
  const port = await freePort();
  const child = spawn("haproxy", ["-db", "-f", configuration], {
    env: {
      PATH: path,
      LISTEN: `127.0.0.1:${port}`,
      // Only root can become another user.
      ...(process.getuid?.() !== 0 && { WITHOUT_ROOT: "1" }),
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
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
      throw new Error(`HAProxy did not start:\n${said}`);
    }
    await pause(25);
  }
  return { port, pid: child.pid ?? 0, said: () => said, stop };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
