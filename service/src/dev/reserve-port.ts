import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { tryExclusiveLock } from "./file-lock.ts";

const triedPorts = 200;

export interface ReservedPort {
  port: number;
  release(): void;
}

/**
 * Returns the preferred port of loopback or the next one that is free. The reservation prevents another `postern dev` from choosing
 * the port before the process that uses it listens. It ends with this process.
 */
export async function reservePort(preferred: number, folder = lockFolder()): Promise<ReservedPort> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let port = preferred; port < preferred + triedPorts && port <= 65_535; port++) {
    const lock = tryExclusiveLock(join(folder, `${port}`));
    if (lock === undefined) continue;
    if (await isFree(port)) return { port, release: () => lock.release() };
    lock.release();
  }
  throw new Error(`All ports from ${preferred} to ${preferred + triedPorts - 1} are in use.`);
}

/** Every user has a folder of their own, because a lock needs a file that its user may write. */
function lockFolder(): string {
  return join(tmpdir(), `postern-dev-ports-${userInfo().uid}`);
}

export function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
