import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findDebianMirror } from "./debian-mirror.ts";

const run = promisify(execFile);

/** No image registry is needed: each base system is made of Debian's packages. */
const systems = {
  node: { release: "bookworm", packages: ["ca-certificates", "libstdc++6", "libatomic1"], download: [] },
  systemd: {
    release: "bookworm",
    packages: ["ca-certificates", "libstdc++6", "libatomic1", "systemd", "systemd-sysv", "dbus"],
    download: [],
  },
  // Debian 12 has neither PostgreSQL 18 nor Docker Compose 2.
  postgres: { release: "sid", packages: ["postgresql-18", "gosu"], download: ["docker-compose"] },
} as const;

export type BaseSystem = keyof typeof systems;
export const baseSystems = Object.keys(systems) as BaseSystem[];

/** The folder in which CI keeps what it downloads between runs. */
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "postern-ci", "base-systems");

/** Makes the missing base systems; one run in about a month makes them again, for Debian's fixes. */
export async function makeBaseSystems(progress: (message: string) => void): Promise<Record<BaseSystem, string>> {
  const folders = {} as Record<BaseSystem, string>;
  // One after the other: each is limited by the same two cores.
  for (const name of baseSystems) folders[name] = await makeBaseSystem(name, progress);
  return folders;
}

/** Returns a folder with `system.tar`, and with the packages that were downloaded and not installed. */
export async function makeBaseSystem(name: BaseSystem, progress: (message: string) => void): Promise<string> {
  const { release, packages, download } = systems[name];
  const month = new Date().toISOString().slice(0, 7);
  const recipe = createHash("sha256")
    .update(JSON.stringify([month, systems[name], process.arch]))
    .digest("hex");
  const folder = join(cache, `${name}-${recipe.slice(0, 12)}`);
  if (existsSync(folder)) return folder;

  progress(`making the base system ${name} from Debian's packages`);
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, `.${name}-`));
  try {
    const hooks = download.map(
      (item) => `--customize-hook=cd '${unfinished}' && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download ${item}`,
    );
    // Waiting for the disk after each file would take most of the time.
    const fast = "--dpkgopt=force-unsafe-io";
    const options = ["--quiet", "--variant=minbase", fast, `--include=${packages.join(",")}`, ...hooks];
    // A mirror that lags behind still serves a release file whose signature apt checks.
    const lagging = '--aptopt=Acquire::Check-Valid-Until "false"';
    const target = join(unfinished, "system.tar");
    await run("mmdebstrap", [...options, lagging, release, target, findDebianMirror()], { timeout: 300_000 });
    for (const old of globSync(join(cache, `${name}-*`))) rmSync(old, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}
