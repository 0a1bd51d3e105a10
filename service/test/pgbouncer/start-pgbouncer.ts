import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { unprivilegedUser } from "../../src/dev/postgres/embedded-postgres.ts";
import { freePort } from "../free-port.ts";
import { makeServerFolder } from "../private-postgres.ts";
import { type ConfigurationChanges, type PgbouncerVersion, programIn, writeConfiguration } from "./pgbouncer-files.ts";

export interface Pgbouncer {
  /** For example `PgBouncer 1.26.1`. */
  version: string;
  /** The target database, through PgBouncer. */
  url: string;
  /** Runs a command of its console, for example RECONNECT. */
  command(text: string): Promise<Record<string, unknown>[]>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** PgBouncer on a free loopback port, with the configuration of deploy/pgbouncer, in front of the database `target`. */
export async function startPgbouncer(
  target: string,
  { version = "current", changes = {} }: { version?: PgbouncerVersion; changes?: ConfigurationChanges } = {},
): Promise<Pgbouncer> {
  const folder = makeServerFolder();
  const program = programIn(folder, version);
  const port = await freePort();
  // The test servers trust every log-in; PgBouncer asks for a password.
  const server = Object.assign(new URL(target), { password: "secret" });
  writeConfiguration(folder, server, port, changes);
  const url = Object.assign(new URL(server), { hostname: "127.0.0.1", port: String(port) });
  const consoleUrl = Object.assign(new URL(url), { pathname: "/pgbouncer" }).href;
  let running: ChildProcess | undefined;
  const kill = async () => {
    const ending = running;
    running = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    ending.kill("SIGKILL");
    await once(ending, "exit");
  };
  const start = async () => {
    const [command, ...args] = [...program, join(folder, "pgbouncer.ini")];
    const stdio: StdioOptions = ["ignore", "ignore", "pipe"];
    const started = spawn(command ?? "", args, { ...unprivilegedUser(), cwd: folder, stdio });
    running = started;
    let stderrTail = "";
    started.stderr?.on("data", (chunk) => {
      stderrTail = `${stderrTail}${chunk}`.slice(-4000);
    });
    await untilAnswering(consoleUrl, () => {
      if (started.exitCode !== null) throw new Error(`PgBouncer did not start:\n${stderrTail}`);
    });
  };
  await start();
  return {
    version: versionOf(program),
    url: url.href,
    command: (text) => runCommand(consoleUrl, text),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function versionOf([command, ...args]: [string, ...string[]]): string {
  return execFileSync(command, [...args, "--version"], { encoding: "utf8" }).split("\n")[0] ?? "";
}

async function untilAnswering(consoleUrl: string, checkAlive: () => void): Promise<void> {
  for (const until = performance.now() + 10_000; ; await sleep(20)) {
    checkAlive();
    try {
      await runCommand(consoleUrl, "show version");
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}

async function runCommand(consoleUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: consoleUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  // Without a listener the process would exit when PgBouncer is killed.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
