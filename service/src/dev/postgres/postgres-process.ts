import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runWithOptions } from "../run-with-options.ts";
import { untilReady } from "./embedded-postgres.ts";
import { stopLeftoverPostgres } from "./leftover-postgres.ts";
import type { PostgresOptions } from "./postgres-folder.ts";
import { superuserUrl } from "./prepare-database.ts";

/** Runs PostgreSQL as its child, so that PostgreSQL stops even when `postern dev` is killed; see stop-with-parent.ts. */
runWithOptions(run);

let stopRequests = 0;
let running: ChildProcess | undefined;

/** SIGINT is PostgreSQL's fast shutdown: it ends the sessions, then the server. SIGQUIT quits without clean-up, as a crash would. */
process.on("SIGTERM", () => {
  stopRequests += 1;
  if (running === undefined) process.exit(0);
  running.kill(stopRequests === 1 ? "SIGINT" : "SIGQUIT");
});

async function run(options: PostgresOptions): Promise<void> {
  const data = join(options.folder, "data");
  await stopLeftoverPostgres(data);
  if (!existsSync(data)) await createDataFolder(options, data);
  const ended = runProgram(options, options.binaries.postgres, serverFlags(options, data));
  let exitCode: number | undefined;
  void ended.then((code) => {
    exitCode = code;
  });
  await untilReady(superuserUrl(options.port, options.password), () => {
    if (exitCode !== undefined) throw new Error("PostgreSQL did not start.");
  });
  process.stdout.write(`${JSON.stringify({ level: "info", event: "postgres.started" })}\n`);
  throw new Error(`PostgreSQL ended with code ${await ended}.`);
}

/** The folder gets its final name when initdb has finished, so the next start repeats an interrupted initdb. */
async function createDataFolder(options: PostgresOptions, data: string): Promise<void> {
  const { folder, user, binaries, password } = options;
  const [unfinished, passwordFile] = [`${data}.new`, join(folder, "password")];
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid);
  const access = ["--auth=scram-sha-256", "--username=postgres", `--pwfile=${passwordFile}`];
  const flags = [`--pgdata=${unfinished}`, ...access, "--encoding=UTF8", "--locale=C"];
  const code = await runProgram(options, binaries.initdb, flags);
  rmSync(passwordFile, { force: true });
  if (code !== 0) throw new Error(`initdb could not create the data folder of PostgreSQL; it ended with code ${code}.`);
  renameSync(unfinished, data);
}

/** There is no socket file: in a deep folder its path would exceed the limit of the operating system. */
function serverFlags({ port }: PostgresOptions, data: string): string[] {
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", jit: "off" };
  return [
    "-D",
    data,
    "-p",
    `${port}`,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** Resolves with the exit code. After a stop request this process exits together with the program. */
async function runProgram({ user, folder }: PostgresOptions, program: string, args: string[]): Promise<number> {
  running = spawn(program, args, { ...user, cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const [code] = await once(running, "exit");
  running = undefined;
  if (stopRequests > 0) process.exit(0);
  return typeof code === "number" ? code : -1;
}
