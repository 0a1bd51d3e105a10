import { readdirSync, readFileSync } from "node:fs";
import type { Database } from "../src/db/database.ts";

const ticksPerSecond = 100;

/** CPU seconds that a process has used; 0 on systems without /proc. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid);
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** CPU seconds of the PostgreSQL server and all its child processes, including those that have ended. */
export async function postgresCpuSeconds(db: Database): Promise<number> {
  const [row] = await db.query<{ pid: number }>({ name: "own-pid", text: `select pg_backend_pid() as pid` });
  const server = Number(statOf(row?.pid ?? 0)?.[1]);
  if (!(server > 1)) return 0;
  const children = readdirSync("/proc").map(Number);
  const alive = children.filter((pid) => pid > 0 && Number(statOf(pid)?.[1]) === server);
  const ended = statOf(server)?.slice(13, 15).map(Number) ?? [];
  const sum = [server, ...alive].reduce((total, pid) => total + cpuSecondsOf(pid), 0);
  return sum + ended.reduce((total, ticks) => total + ticks, 0) / ticksPerSecond;
}

/** The fields after the process name: state, parent, and so on. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
  } catch {
    return undefined;
  }
}
