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
import { AppError } from "../errors.ts";
import type { PostgresBinaries, SystemUser } from "./embedded-postgres.ts";
import type { StateFolder } from "./state-folder.ts";

export interface PostgresHome {
  folder: string;
  binaries: PostgresBinaries;
  /** Whom the server runs as; undefined for whoever starts it. */
  user: SystemUser | undefined;
}

/** All the guard of the server has to know. */
export interface PostgresPlan extends PostgresHome {
  port: number;
  password: string;
}

/** Folders of root are often closed to everyone else; then the database lives where its user can reach it. */
const outsideParent = "/var/tmp";

/** The database lies in the state folder, unless we are root and the user it has to run as cannot get there. */
export function findPostgresHome(
  state: StateFolder,
  binaries: PostgresBinaries,
  user: SystemUser | undefined,
): PostgresHome {
  if (user === undefined) {
    mkdirSync(state.postgres, { recursive: true, mode: 0o700 });
    return { folder: state.postgres, binaries, user };
  }
  // Others may pass through, but see nothing: every file in it is for its owner only.
  chmodSync(state.path, 0o711);
  mkdirSync(state.postgres, { recursive: true, mode: 0o700 });
  chownSync(state.postgres, user.uid, user.gid);
  if (mayUse(user, state.postgres) && mayUse(user, binaries.postgres))
    return { folder: state.postgres, binaries, user };
  const folder = openOutside(outsideFolderOf(state), user);
  return { folder, binaries: mayUse(user, binaries.postgres) ? binaries : copyBinaries(binaries, folder), user };
}

export function wipeOutside(state: StateFolder): void {
  rmSync(outsideFolderOf(state), { recursive: true, force: true });
}

function outsideFolderOf(state: StateFolder): string {
  const name = createHash("sha256").update(realpathSync(state.path)).digest("hex").slice(0, 16);
  return join(outsideParent, `postern-dev-${name}`);
}

function mayUse({ uid, gid }: SystemUser, path: string): boolean {
  return spawnSync("test", ["-x", path], { uid, gid, cwd: "/" }).status === 0;
}

/** Anyone may make folders there, so one that is not its user's own is not trusted. */
function openOutside(folder: string, user: SystemUser): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, user.uid, user.gid);
  }
  const found = lstatSync(folder);
  const isOurs = found.isDirectory() && [user.uid, 0].includes(found.uid);
  if (!isOurs) throw new AppError("CONFLICT", `${folder} was made by someone else. Remove it and start again.`);
  chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  return folder;
}

/** Under their final name only when all of them are there. */
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
