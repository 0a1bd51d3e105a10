import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { freePort } from "../../service/test/free-port.ts";
import { NotReady } from "../frame/bench.ts";

export interface PrivateServer {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/** Debian installs servers in a folder that is not on the PATH of ordinary users. */
const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin` };

/** Returns their versions. Throws when a server is not installed. */
export function requireServers(...commands: ("redis-server" | "nats-server")[]): Record<string, string> {
  const versions = commands.map((command) => [command, versionOf(command)] as const);
  const missing = versions.flatMap(([command, version]) => (version === undefined ? [command] : []));
  if (missing.length > 0)
    throw new NotReady(`This bench needs ${missing.join(" and ")}: apt-get install ${missing.join(" ")}`);
  return Object.fromEntries(versions.map(([command, version = ""]) => [command, version]));
}

/** NATS before 2.10 has no setting to sync before it answers; it syncs every two minutes. */
export function canNatsSync(): boolean {
  const [major = 0, minor = 0] = (versionOf("nats-server") ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

/** Redis syncs every write before it answers. Snapshots and log rewriting are off, because they would only cost it time. */
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
    await untilPrinted([server.stdout, server.stderr], readyLine, ended);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: server.pid ?? 0, port, stop };
}

/** Keeps reading afterwards, so that a full pipe does not block the server. */
function untilPrinted(streams: Readable[], line: string, ended: Promise<unknown>): Promise<void> {
  let output = "";
  return new Promise((resolve, reject) => {
    for (const stream of streams) {
      stream.on("data", (chunk) => {
        output = `${output}${chunk}`.slice(-4000);
        if (output.includes(line)) resolve();
      });
    }
    void ended.then(() => reject(new Error(`the server did not start:\n${output}`)));
  });
}

function versionOf(command: string): string | undefined {
  const { error, stdout } = spawnSync(command, ["--version"], { env, encoding: "utf8" });
  return error === undefined ? /\d+\.\d+\.\d+/.exec(stdout)?.[0] : undefined;
}
