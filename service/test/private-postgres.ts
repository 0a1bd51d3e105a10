import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type PostgresBinaries, unprivilegedUser, untilReady } from "../src/dev/postgres/embedded-postgres.ts";
import { freePort } from "./free-port.ts";

export interface PrivatePostgres {
  url: string;
  port: number;
  /** The data directory. */
  data: string;
  /** SIGQUIT stops the server without a shutdown checkpoint, as a crash does. */
  stop(signal?: "SIGINT" | "SIGQUIT"): Promise<void>;
}

/**
 * A server for tests: in memory, where none waits for the disk, although processes see a server with fsync. Without full pages, because every
 * database that a test drops causes a checkpoint, after which they would be part of the WAL that another test counts.
 */
export function startMemoryPostgres(binaries: PostgresBinaries): Promise<PrivatePostgres> {
  return startPrivatePostgres(binaries, memoryFolder(), { full_page_writes: "off" });
}

/** A server on a free loopback port; stopping it removes its temporary data folder, which is in `parent`. */
export async function startPrivatePostgres(
  binaries: PostgresBinaries,
  parent?: string,
  settings?: Record<string, string>,
): Promise<PrivatePostgres> {
  const { folder, data } = makeServerData(binaries, parent);
  const server = await startServerOn(binaries, data, settings);
  return {
    ...server,
    async stop(signal) {
      await server.stop(signal);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Linux's folder in memory when it has room. */
export function memoryFolder(): string {
  if (!existsSync("/dev/shm")) return tmpdir();
  const { bavail, bsize } = statfsSync("/dev/shm");
  return bavail * bsize >= 6 * 1024 ** 3 ? "/dev/shm" : tmpdir();
}

/** Runs initdb in a new temporary folder. */
export function makeServerData({ initdb }: Pick<PostgresBinaries, "initdb">, parent?: string) {
  const folder = makeServerFolder(parent);
  const data = join(folder, "data");
  const flags = ["--auth=trust", "--username=postern", "--encoding=UTF8", "--locale=C", "--no-sync"];
  asServerUser(initdb, [`--pgdata=${data}`, ...flags], folder);
  return { folder, data };
}

/** An empty temporary folder that the server user may write to. */
export function makeServerFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "postern-postgres-"));
  giveToServer(folder);
  return folder;
}

/** Makes the server user the owner of a file or folder, because the server must be able to write it. */
export function giveToServer(path: string): void {
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** Runs a command as the server user. */
export function asServerUser(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { ...unprivilegedUser(), cwd, stdio: "pipe" });
}

/** Starts a server on an existing data directory; stopping it keeps the directory. */
export async function startServerOn(
  { postgres }: Pick<PostgresBinaries, "postgres">,
  data: string,
  settings: Record<string, string> = {},
  readyWithinSeconds?: number,
): Promise<PrivatePostgres> {
  const port = await freePort();
  const defaults = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "500", jit: "off" };
  const options = Object.entries({ ...defaults, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(postgres, ["-D", data, "-p", String(port), ...options], {
    ...unprivilegedUser(),
    cwd: dirname(data),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderrTail = "";
  server.stderr.on("data", (chunk) => {
    stderrTail = `${stderrTail}${chunk}`.slice(-4000);
  });
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()));
  const url = `postgres://postern@127.0.0.1:${port}/postgres`;
  const requireRunning = () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${stderrTail}`);
  };
  await untilReady(url, requireRunning, readyWithinSeconds);

  return {
    url,
    port,
    data,
    async stop(signal = "SIGINT") {
      server.kill(signal);
      await ended;
    },
  };
}
