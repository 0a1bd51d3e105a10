import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { queryValue } from "../../../service/proofs/failover/postgres-copies.ts";
import { startTcpSwitch } from "../../../service/proofs/proxies/tcp-switch.ts";
import { until } from "../../../service/proofs/until.ts";
import { unprivilegedUser } from "../../../service/src/dev/postgres/embedded-postgres.ts";
import { giveToServer, makeServerData, startServerOn } from "../../../service/test/private-postgres.ts";
import { root } from "../../test/container-file.ts";
import { binaryFolder, killServer } from "../patroni/node-files.ts";

const run = promisify(execFile);
/** A restored server first writes all its files to disk and replays WAL. */
const recoverySeconds = 120;
const binaries = { postgres: join(binaryFolder, "postgres"), initdb: join(binaryFolder, "initdb") };
const shipped = (name: string) => readFileSync(join(root, "deploy/backup", name), "utf8");

export interface ArchivedServer {
  /** Stays the same when a restored server takes the place of the first. */
  url: string;
  /** A full backup. */
  backUp(): Promise<void>;
  /** Runs deploy/backup/restore-drill.sh beside the server and returns its lines. */
  drill(database: string): Promise<Record<string, string>>;
  /** Resolves when the archive has all WAL files that the server has finished. */
  untilArchived(): Promise<void>;
  /** SIGKILL, and the data directory is gone: what is not in the repository is lost. */
  destroy(): Promise<void>;
  /** Stops the server in order and puts its data directory aside. */
  retire(): Promise<void>;
  /** Restores the newest state, or this moment, and starts it. */
  restore(target?: string): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL 15 with the shipped settings for archiving and pgBackRest; paths, port and user differ. */
export async function startArchivedServer(archiveSeconds: number | undefined): Promise<ArchivedServer> {
  const { folder, data } = makeServerData(binaries);
  const config = join(folder, "pgbackrest.conf");
  const backrest = (...args: string[]) =>
    asServer("pgbackrest", [`--config=${config}`, "--stanza=postern", ...args], folder);
  const start = () => startServerOn(binaries, data, settings(folder, config, archiveSeconds), recoverySeconds);
  const configure = (port: number) => {
    writeFileSync(config, configuration(folder, data, port));
    giveToServer(config);
  };
  // Archiving needs the file, but not the port.
  configure(1);
  let server = await start();
  configure(server.port);
  const address = await startTcpSwitch(server.port);
  await backrest("stanza-create");
  return {
    url: `postgres://postern@127.0.0.1:${address.port}/postgres`,
    backUp: async () => void (await backrest("--type=full", "backup")),
    async drill(database) {
      const script = join(root, "deploy/backup/restore-drill.sh");
      const options = { config, database, user: "postern", bin: binaryFolder, folder };
      const { stdout } = await asServer(
        "bash",
        [script, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])],
        folder,
      );
      const lines = stdout.split("\n").filter((line) => line !== "");
      return Object.fromEntries(lines.map((line) => [line.split(" ")[0], line.slice(line.indexOf(" ") + 1)]));
    },
    async untilArchived() {
      const none = "select count(*) = 0 as answer from pg_ls_archive_statusdir() where name like '%.ready'";
      await until("all WAL is archived", 60, async () => (await queryValue(server.url, none)) === "true");
    },
    async destroy() {
      killServer(data);
      await server.stop();
      address.connectTo(undefined);
      rmSync(data, { recursive: true });
    },
    async retire() {
      address.connectTo(undefined);
      await server.stop();
      renameSync(data, join(folder, "before"));
    },
    async restore(target) {
      mkdirSync(data, { mode: 0o700 });
      giveToServer(data);
      await backrest(
        ...(target === undefined ? [] : ["--type=time", `--target=${target}`, "--target-action=promote"]),
        "restore",
      );
      server = await start();
      configure(server.port);
      await until("the restored server accepts writes", 120, async () => {
        return (await queryValue(server.url, "select pg_is_in_recovery() as answer")) === "false";
      });
      address.connectTo(server.port);
    },
    async stop() {
      await address.close();
      await server.stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function asServer(command: string, args: string[], cwd: string) {
  return run(command, args, { ...unprivilegedUser(), cwd, env: { PATH: "/usr/bin:/bin", HOME: cwd, LANG: "C.UTF-8" } });
}

/** deploy/backup/pgbackrest.conf with other paths. */
function configuration(folder: string, data: string, port: number): string {
  return shipped("pgbackrest.conf")
    .replace(/^repo1-path=.*$/m, `repo1-path=${join(folder, "repository")}\nlock-path=${join(folder, "lock")}`)
    .replace(/^pg1-path=.*$/m, `pg1-path=${data}\npg1-socket-path=${folder}\npg1-user=postern`)
    .replace(/^pg1-port=.*$/m, `pg1-port=${port}`);
}

/** deploy/backup/postgresql-archive.conf as options of the server. */
function settings(folder: string, config: string, archiveSeconds: number | undefined): Record<string, string> {
  const lines = shipped("postgresql-archive.conf").matchAll(/^(\w+) = '?([^'\n]*)'?$/gm);
  const found = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
  const command = found.archive_command?.replace("pgbackrest", `pgbackrest --config=${config}`);
  if (command === undefined || found.archive_mode !== "on") throw new Error("the shipped settings do not archive");
  return {
    ...found,
    archive_command: command,
    ...(archiveSeconds !== undefined && { archive_timeout: `${archiveSeconds}s` }),
    unix_socket_directories: folder,
  };
}
