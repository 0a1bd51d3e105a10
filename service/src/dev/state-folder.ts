import { randomBytes } from "node:crypto";
import {
  chmodSync,
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
  /** What a shell can read in: addresses and keys. */
  env: string;
  lock: string;
  logs: string;
  postgres: string;
  simulator: string;
  /** What node remembers of our code, so that the next start is quicker. */
  compiled: string;
}

/** Relative, because the processes have the state folder as their working directory. */
export const processesLock = "processes.lock";

/** Secrets once made, and what was seeded with them; what is not there yet is made by the next start. */
export interface DevSettings {
  databasePassword: string;
  secrets: Record<string, string>;
  password?: string;
  testKey?: string;
  liveKey?: string;
}

export function openStateFolder(folder: string): StateFolder {
  const path = resolve(folder);
  makePrivate(path);
  return {
    path,
    settings: join(path, "settings.json"),
    env: join(path, "env"),
    lock: join(path, "lock"),
    logs: join(path, "logs"),
    postgres: join(path, "postgres"),
    simulator: join(path, "simulator"),
    compiled: join(path, "compiled"),
  };
}

/** Nor does git take its secrets, wherever it lies. */
function makePrivate(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    writeFileSync(join(path, ".gitignore"), "*\n");
    for (const lock of ["lock", processesLock]) closeSync(openSync(join(path, lock), "a", 0o600));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("UNAVAILABLE", `${path} cannot be used (${reason}). Choose another folder: --state DIR`);
  }
}

/** Only what `postern dev` makes: the folder may be anyone's. The settings go last, so an interrupted wipe is repeated. */
export function wipe({ env, logs, postgres, simulator, compiled, settings }: StateFolder): void {
  for (const path of [env, logs, postgres, simulator, compiled, settings]) {
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
  writeWhole(settings, `${JSON.stringify(values, undefined, 2)}\n`);
}

/** The file has all of the text or is as it was before, also after a power cut. */
export function writeWhole(path: string, text: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
