import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { embeddedBinaries, unprivilegedUser } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { openTestDatabase } from "../../service/test/template-database.ts";
import { aFreePort } from "../../ses-simulator/proofs/simulator-process.ts";
import { onExit } from "./on-exit.ts";

/** PostgreSQL with production settings, including fsync. It can be crashed and started again. */
export class PostgresServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  readonly #logFile: string;
  readonly #binaries: { postgres: string; initdb: string };
  #server: ChildProcess | undefined;

  private constructor(port: number, folder: string, logFile: string, binaries: { postgres: string; initdb: string }) {
    this.#port = port;
    this.#folder = folder;
    this.#logFile = logFile;
    this.#binaries = binaries;
    this.url = `postgres://postern@127.0.0.1:${port}/postgres`;
  }

  /** Without `folder` the data is in a temporary folder, which is removed when this process exits. */
  static async create(logFile: string, folder?: string): Promise<PostgresServer> {
    const own = folder ?? mkdtempSync(join(tmpdir(), "postern-chaos-"));
    const binaries = await embeddedBinaries();
    const server = new PostgresServer(await aFreePort(), own, logFile, binaries);
    if (folder === undefined) onExit(() => rmSync(own, { recursive: true, force: true, maxRetries: 5 }));
    const identity = unprivilegedUser();
    if (identity !== undefined) chownSync(own, identity.uid, identity.gid);
    const flags = ["--auth=trust", "--username=postern", "--encoding=UTF8", "--locale=C", "--no-sync"];
    execFileSync(binaries.initdb, [`--pgdata=${server.#data}`, ...flags], { ...identity, cwd: own, stdio: "pipe" });
    onExit(() => server.#server?.kill("SIGKILL"));
    return server;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  /** Resolves when the server answers queries, including crash recovery. */
  async start(): Promise<void> {
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", jit: "off" };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const log = openSync(this.#logFile, "a");
    const identity = unprivilegedUser();
    const as = identity === undefined ? [] : [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, "--clear-groups"];
    const command = [this.#binaries.postgres, "-D", this.#data, "-p", String(this.#port), ...options];
    this.#server = spawn("setpriv", [...as, "--pdeathsig", "KILL", ...command], {
      cwd: this.#folder,
      stdio: ["ignore", log, log],
    });
    await this.#untilReady(this.#server);
  }

  /** PostgreSQL exits when it cannot write its log, and does not restart by itself. */
  async startIfDown(): Promise<void> {
    const server = this.#server;
    if (server !== undefined && server.exitCode === null && server.signalCode === null) return;
    await this.start();
  }

  /** Like `pg_ctl stop -m immediate`: without a checkpoint, so the next start recovers from the WAL. */
  stopImmediately(): Promise<void> {
    return this.#end("SIGQUIT");
  }

  /** SIGKILL: the postmaster cannot signal its backends; they exit when they detect that it is gone. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  async #end(signal: "SIGQUIT" | "SIGKILL"): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, "exit");
    server.kill(signal);
    await gone;
  }

  async #untilReady(server: ChildProcess): Promise<void> {
    for (const end = performance.now() + 60_000; performance.now() < end; ) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start, see ${this.#logFile}`);
      const db = openTestDatabase(this.url);
      const isReady = await db.query({ name: "is-ready", text: "select" }).then(
        () => true,
        () => false,
      );
      await db.close();
      if (isReady) return;
      await sleep(20);
    }
    throw new Error("PostgreSQL did not become ready within 60 seconds");
  }
}
