import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { embeddedBinaries, type PostgresBinaries } from "../../src/dev/postgres/embedded-postgres.ts";
import {
  asServerUser,
  giveToServer,
  makeServerFolder,
  type PrivatePostgres,
  startServerOn,
} from "../../test/private-postgres.ts";

/** Binaries of this server's major version: those of the Debian package, or those of the npm package. */
export async function binariesLike(serverUrl: string): Promise<PostgresBinaries> {
  const major = await queryValue(serverUrl, "select current_setting('server_version_num')::integer / 10000 as answer");
  const folder = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(join(folder, "postgres"))) return embeddedBinaries();
  return { postgres: join(folder, "postgres"), initdb: join(folder, "initdb") };
}

export interface BaseBackup {
  /** `plain` continues the same timeline. `recovery` starts a new one, like a point-in-time recovery. */
  start(how: "plain" | "recovery" | { standbyOf: number }): Promise<PrivatePostgres>;
  remove(): void;
}

/** Copies a running server as the PostgreSQL manual describes: the WAL last, then the label with the start position. */
export async function takeBaseBackup(binaries: PostgresBinaries, { url, data }: PrivatePostgres): Promise<BaseBackup> {
  const folder = makeServerFolder();
  const copy = join(folder, "data");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('a proof', true)");
    asServerUser("cp", ["-a", data, copy], folder);
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    asServerUser("cp", ["-a", `${join(data, "pg_wal")}/.`, join(copy, "pg_wal")], folder);
    write(join(copy, "backup_label"), rows[0]?.labelfile ?? "");
    // Without this setting the copy syncs every file before it starts. `start` resets it.
    appendFileSync(join(copy, "postgresql.auto.conf"), "fsync = off\n");
    rmSync(join(copy, "postmaster.pid"));
  } finally {
    await client.end();
  }
  return {
    async start(how) {
      const settings = join(copy, "postgresql.auto.conf");
      if (how === "recovery") {
        write(join(copy, "recovery.signal"), "");
        appendFileSync(settings, "restore_command = 'false'\n");
      }
      if (typeof how === "object") {
        write(join(copy, "standby.signal"), "");
        appendFileSync(settings, `primary_conninfo = 'host=127.0.0.1 port=${how.standbyOf} user=postern'\n`);
      }
      const server = await startServerOn(binaries, copy);
      await queryValue(server.url, "alter system reset fsync");
      await queryValue(server.url, "select pg_reload_conf() as answer");
      return server;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function write(file: string, text: string): void {
  writeFileSync(file, text);
  giveToServer(file);
}

/** Runs a statement and returns the column `answer` of its first row as text. */
export async function queryValue(url: string, statement: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: unknown }>(statement);
    return String(rows[0]?.answer);
  } finally {
    await client.end();
  }
}
