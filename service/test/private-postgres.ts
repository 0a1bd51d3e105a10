import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort, type PostgresBinaries, unprivilegedUser, untilReady } from "../src/dev/embedded-postgres.ts";

export interface PrivatePostgres {
  url: string;
  port: number;
  /** Where its data is. */
  data: string;
  /** SIGQUIT ends it as a crash would. */
  stop(signal?: "SIGINT" | "SIGQUIT"): Promise<void>;
}

/** A server of our own on a free port of loopback, with its data in a temporary folder that goes when it stops. */
export async function startPrivatePostgres(binaries: PostgresBinaries): Promise<PrivatePostgres> {
  const { folder, data } = makeServerData(binaries);
  const server = await startServerOn(binaries, data);
  return {
    ...server,
    async stop(signal) {
      await server.stop(signal);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a new server begins with, in a temporary folder of its own. */
export function makeServerData({ initdb }: Pick<PostgresBinaries, "initdb">): { folder: string; data: string } {
  const folder = makeServerFolder();
  const data = join(folder, "data");
  const flags = ["--auth=trust", "--username=postern", "--encoding=UTF8", "--locale=C", "--no-sync"];
  asServerUser(initdb, [`--pgdata=${data}`, ...flags], folder);
  return { folder, data };
}

/** An empty temporary folder that a server may write to. */
export function makeServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-postgres-"));
  giveToServer(folder);
  return folder;
}

/** A file or folder that we made and a server must be able to write. */
export function giveToServer(path: string): void {
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** Runs a command as the user the servers run as. */
export function asServerUser(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { ...unprivilegedUser(), cwd, stdio: "pipe" });
}

/** A server on data that are there already; stopping it leaves them. */
export async function startServerOn(
  { postgres }: Pick<PostgresBinaries, "postgres">,
  data: string,
  settings: Record<string, string> = {},
): Promise<PrivatePostgres> {
  const port = await freePort();
  const usual = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", jit: "off" };
  const options = Object.entries({ ...usual, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(postgres, ["-D", data, "-p", String(port), ...options], {
    ...unprivilegedUser(),
    cwd: dirname(data),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let lastWords = "";
  server.stderr.on("data", (chunk) => {
    lastWords = `${lastWords}${chunk}`.slice(-4000);
  });
  const ended = new Promise<void>((resolve) => server.on("exit", () => resolve()));
  const url = `postgres://postern@127.0.0.1:${port}/postgres`;
  await untilReady(url, () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${lastWords}`);
  });

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
