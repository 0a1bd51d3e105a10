import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../errors.ts";

export interface StateFolder {
  path: string;
  settings: string;
  /** Addresses and keys as shell variables. */
  env: string;
  lock: string;
  logs: string;
  postgres: string;
  simulator: string;
  /** Node's compile cache, which makes the next start faster. */
  compileCache: string;
}

/** A relative path: the state folder is the working directory of the processes. */
export const processesLock = "processes.lock";

/** The generated secrets and the seeded credentials. A start creates those that are missing. */
export interface DevSettings {
  databasePassword: string;
  secrets: Record<string, string>;
  password?: string;
  testKey?: string;
  liveKey?: string;
}

export function openStateFolder(folder: string): StateFolder {
  const path = resolve(folder);
  createPrivateFolder(path);
  return {
    path,
    settings: join(path, "settings.json"),
    env: join(path, "env"),
    lock: join(path, "lock"),
    logs: join(path, "logs"),
    postgres: join(path, "postgres"),
    simulator: join(path, "simulator"),
    compileCache: join(path, "compiled"),
  };
}

/** Only its owner may enter the folder, and its .gitignore keeps its secrets out of a repository. */
function createPrivateFolder(path: string): void {
  try {
    // A later start must not narrow the mode: as root, the PostgreSQL of a running `postern dev` needs to pass this folder.
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, ".gitignore"), "*\n");
    for (const lock of ["lock", processesLock]) closeSync(openSync(join(path, lock), "a", 0o600));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("UNAVAILABLE", `${path} cannot be used (${reason}). Choose another folder: --state DIR`);
  }
}

/**
 * Deletes only the files that `postern dev` creates: the folder can hold files of the user. It deletes the settings last, so that
 * a start after an interrupted deletion still has the password of a database that was not deleted.
 */
export function deleteState({ env, logs, postgres, simulator, compileCache, settings }: StateFolder): void {
  for (const path of [env, logs, postgres, simulator, compileCache, settings]) {
    rmSync(path, { recursive: true, force: true });
  }
}

export function readSettings({ settings }: StateFolder, newSecrets: () => Record<string, string>): DevSettings {
  try {
    return JSON.parse(readFileSync(settings, "utf8"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return { databasePassword: randomBytes(18).toString("base64url"), secrets: newSecrets() };
  }
}

export function writeSettings({ settings }: StateFolder, values: DevSettings): void {
  writeAtomically(settings, `${JSON.stringify(values, undefined, 2)}\n`);
}

/** Replaces the file atomically: after a crash or power cut it holds either the whole new text or the old one. */
export function writeAtomically(path: string, text: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
