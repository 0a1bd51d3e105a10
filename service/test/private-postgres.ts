import { execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type PostgresBinaries, unprivilegedUser, untilReady } from "../src/dev/embedded-postgres.ts";

export interface PrivatePostgres {
  url: string;
  stop(): Promise<void>;
}

/** A server of our own on a free port of loopback, with its data in a temporary folder that goes when it stops. */
export async function startPrivatePostgres(binaries: PostgresBinaries): Promise<PrivatePostgres> {
  const folder = mkdtempSync(join(tmpdir(), "postern-postgres-"));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const flags = ["--auth=trust", "--username=postern", "--encoding=UTF8", "--locale=C", "--no-sync"];
  execFileSync(binaries.initdb, [`--pgdata=${data}`, ...flags], { ...user, cwd: folder, stdio: "pipe" });

  const port = await freePort();
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", jit: "off" };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(binaries.postgres, ["-D", data, "-p", String(port), ...options], {
    ...user,
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
