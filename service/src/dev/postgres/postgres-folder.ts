import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../errors.ts";
import type { StateFolder } from "../state-folder.ts";
import type { PostgresBinaries, SystemUser } from "./embedded-postgres.ts";

export interface PostgresInstallation {
  folder: string;
  binaries: PostgresBinaries;
  /** The user that runs the server; undefined for the user of `postern dev`. */
  user: SystemUser | undefined;
}

export interface PostgresOptions extends PostgresInstallation {
  port: number;
  password: string;
}

/** Holds the database when its user may not enter the state folder; often no other user may enter the folders of root. */
const outsideParent = "/var/tmp";

/** The database is in the state folder, unless root runs `postern dev` and the user of PostgreSQL may not enter that folder. */
export function preparePostgresFolder(
  state: StateFolder,
  binaries: PostgresBinaries,
  user: SystemUser | undefined,
): PostgresInstallation {
  if (user === undefined) {
    mkdirSync(state.postgres, { recursive: true, mode: 0o700 });
    return { folder: state.postgres, binaries, user };
  }
  // Other users may pass through this folder but read nothing: only its owner may read the files in it.
  chmodSync(state.path, 0o711);
  mkdirSync(state.postgres, { recursive: true, mode: 0o700 });
  chownSync(state.postgres, user.uid, user.gid);
  if (mayUse(user, state.postgres) && mayUse(user, binaries.postgres))
    return { folder: state.postgres, binaries, user };
  const folder = openOutsideFolder(outsideFolderOf(state), user);
  return { folder, binaries: mayUse(user, binaries.postgres) ? binaries : copyBinaries(binaries, folder), user };
}

export function deleteOutsideFolder(state: StateFolder): void {
  rmSync(outsideFolderOf(state), { recursive: true, force: true });
}

function outsideFolderOf(state: StateFolder): string {
  const name = createHash("sha256").update(realpathSync(state.path)).digest("hex").slice(0, 16);
  return join(outsideParent, `postern-dev-${name}`);
}

function mayUse({ uid, gid }: SystemUser, path: string): boolean {
  return spawnSync("test", ["-x", path], { uid, gid, cwd: "/" }).status === 0;
}

/** Every user may create folders in /var/tmp, so a folder of another owner is not trusted. */
function openOutsideFolder(folder: string, user: SystemUser): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, user.uid, user.gid);
  }
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && [user.uid, 0].includes(found.uid);
  if (!isOurs) throw new AppError("CONFLICT", `${folder} belongs to another user. Remove it and start again.`);
  chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  return folder;
}

/** The copy gets its final name when it is complete. */
function copyBinaries({ postgres, initdb }: PostgresBinaries, folder: string): PostgresBinaries {
  const [source, copy] = [dirname(dirname(postgres)), join(folder, "native")];
  const version = join(
    copy,
    createHash("sha256")
      .update(source)
      .update(`${lstatSync(postgres).mtimeMs}`)
      .digest("hex"),
  );
  if (!existsSync(version)) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(source, `${version}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${version}.new`, version);
  }
  const moved = (path: string) => join(version, path.slice(source.length));
  return { postgres: moved(postgres), initdb: moved(initdb) };
}
