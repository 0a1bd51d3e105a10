import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { embeddedBinaries, unprivilegedUser, untilReady } from "../../../service/src/dev/postgres/embedded-postgres.ts";
import { freePort } from "../../../service/test/free-port.ts";
import { makeServerData } from "../../../service/test/private-postgres.ts";
import type { Cgroup } from "./cgroup.ts";

/** A server in the cgroup. Only root can make a cgroup, and PostgreSQL refuses to run as root. */
export async function startLimitedPostgres({ inside }: Cgroup, settings: Record<string, string>) {
  const binaries = await embeddedBinaries();
  const { folder, data } = makeServerData(binaries);
  const port = await freePort();
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port), ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const user = unprivilegedUser();
  const asUser = ["setpriv", `--reuid=${user?.uid}`, `--regid=${user?.gid}`, "--clear-groups"];
  const [program, ...args] = inside([...asUser, binaries.postgres, "-D", data, ...options]);
  const server = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let stderrTail = "";
  server.stderr.on("data", (chunk) => {
    stderrTail = `${stderrTail}${chunk}`.slice(-4000);
  });
  const ended = once(server, "exit");
  const url = `postgres://postern@127.0.0.1:${port}/postgres`;
  await untilReady(
    url,
    () => {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${stderrTail}`);
    },
    60,
  );
  return {
    url,
    async stop(): Promise<void> {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
