import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { untilReady } from "./embedded-postgres.ts";
import { endLeftover } from "./leftover-postgres.ts";
import type { PostgresPlan } from "./postgres-home.ts";
import { superuserUrl } from "./prepare-database.ts";
import { takeOrders } from "./take-orders.ts";

/** The process that owns PostgreSQL, so that it ends when `postern dev` does, whatever becomes of that. */
takeOrders(run);

let stops = 0;
let running: ChildProcess | undefined;

/** SIGINT ends all sessions and then the server; SIGQUIT, at the second request, ends it at once, as a crash would. */
process.on("SIGTERM", () => {
  stops += 1;
  if (running === undefined) process.exit(0);
  running.kill(stops === 1 ? "SIGINT" : "SIGQUIT");
});

async function run(plan: PostgresPlan): Promise<void> {
  const data = join(plan.folder, "data");
  await endLeftover(data);
  if (!existsSync(data)) await makeData(plan, data);
  const ended = own(plan, plan.binaries.postgres, serverFlags(plan, data));
  let code: number | undefined;
  void ended.then((given) => {
    code = given;
  });
  await untilReady(superuserUrl(plan.port, plan.password), () => {
    if (code !== undefined) throw new Error("PostgreSQL did not start.");
  });
  process.stdout.write(`${JSON.stringify({ level: "info", event: "postgres.started" })}\n`);
  throw new Error(`PostgreSQL ended with code ${await ended}.`);
}

/** Under its name only when it is complete, so a start that died here begins anew. */
async function makeData(plan: PostgresPlan, data: string): Promise<void> {
  const { folder, user, binaries, password } = plan;
  const [unfinished, passwordFile] = [`${data}.new`, join(folder, "password")];
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid);
  const access = ["--auth=scram-sha-256", "--username=postgres", `--pwfile=${passwordFile}`];
  const code = await own(plan, binaries.initdb, [`--pgdata=${unfinished}`, ...access, "--encoding=UTF8", "--locale=C"]);
  rmSync(passwordFile, { force: true });
  if (code !== 0) throw new Error(`The data of PostgreSQL could not be made (initdb ended with code ${code}).`);
  renameSync(unfinished, data);
}

/** No socket file: its path would be too long in a deep folder. */
function serverFlags({ port }: PostgresPlan, data: string): string[] {
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", jit: "off" };
  return [
    "-D",
    data,
    "-p",
    `${port}`,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

async function own({ user, folder }: PostgresPlan, program: string, args: string[]): Promise<number> {
  running = spawn(program, args, { ...user, cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(running, "exit");
  running = undefined;
  if (stops > 0) process.exit(0);
  return typeof code === "number" ? code : -1;
}
