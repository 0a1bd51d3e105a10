import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { freePort } from "../../service/src/dev/embedded-postgres.ts";
import { NotReady } from "../frame/bench.ts";

export interface PrivateServer {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/** Debian keeps servers where the path of an ordinary user does not look. */
const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin` };

/** Throws when a server is not installed. */
export function requireServers(): { redis: string; nats: string } {
  const [redis, nats] = [versionOf("redis-server"), versionOf("nats-server")];
  if (redis !== undefined && nats !== undefined) return { redis, nats };
  const missing = [...(redis === undefined ? ["redis-server"] : []), ...(nats === undefined ? ["nats-server"] : [])];
  throw new NotReady(`This bench needs ${missing.join(" and ")}: apt-get install ${missing.join(" ")}`);
}

/** Before 2.10 there is no setting that makes NATS wait for its disk; it syncs every two minutes and answers before. */
export function canNatsSync(): boolean {
  const [major = 0, minor = 0] = (versionOf("nats-server") ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

/** Every write is on disk before it is answered. No snapshots and no rewriting of its log: both would only cost it. */
export async function startRedis(): Promise<PrivateServer> {
  const settings = {
    bind: "127.0.0.1",
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    "auto-aof-rewrite-percentage": "0",
    "maxmemory-policy": "noeviction",
  };
  return start("redis-server", "Ready to accept connections", (dir, port) =>
    Object.entries({ ...settings, dir, port: String(port) }).flatMap(([name, value]) => [`--${name}`, value]),
  );
}

export async function startNats(): Promise<PrivateServer> {
  return start("nats-server", "Server is ready", (folder, port) => {
    const sync = canNatsSync() ? "sync_interval: always" : "";
    const file = join(folder, "nats.conf");
    writeFileSync(file, `listen: "127.0.0.1:${port}"\njetstream {\n  store_dir: "${folder}"\n  ${sync}\n}\n`);
    return ["-c", file];
  });
}

async function start(
  command: string,
  readyLine: string,
  argumentsFor: (folder: string, port: number) => string[],
): Promise<PrivateServer> {
  const folder = mkdtempSync(join(tmpdir(), `postern-${command}-`));
  const port = await freePort();
  const server = spawn(command, argumentsFor(folder, port), { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(server, "exit");
  const stop = async () => {
    server.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await heard([server.stdout, server.stderr], readyLine, ended);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: server.pid ?? 0, port, stop };
}

/** Reads on afterwards, so that a server that has much to say does not stand still. */
function heard(streams: Readable[], line: string, ended: Promise<unknown>): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    for (const stream of streams) {
      stream.on("data", (chunk) => {
        said = `${said}${chunk}`.slice(-4000);
        if (said.includes(line)) resolve();
      });
    }
    void ended.then(() => reject(new Error(`a server did not start:\n${said}`)));
  });
}

function versionOf(command: string): string | undefined {
  const { error, stdout } = spawnSync(command, ["--version"], { env, encoding: "utf8" });
  return error === undefined ? /\d+\.\d+\.\d+/.exec(stdout)?.[0] : undefined;
}
