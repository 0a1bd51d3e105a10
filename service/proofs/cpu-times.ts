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
  const [server, ...children] = await postgresProcesses(db);
  if (server === undefined) return 0;
  const ended = statOf(server)?.slice(13, 15).map(Number) ?? [];
  const sum = [server, ...children].reduce((total, pid) => total + cpuSecondsOf(pid), 0);
  return sum + ended.reduce((total, ticks) => total + ticks, 0) / ticksPerSecond;
}

/** The server, which is first, and its child processes; none on systems without /proc. `withoutOwn` leaves out the sessions of `db`. */
export async function postgresProcesses(db: Database, { withoutOwn = false } = {}): Promise<number[]> {
  const sessions = await db.query<{ pid: number; is_own: boolean }>({
    name: "own-sessions",
    text: `
      select pid, pid = pg_backend_pid() as is_own
      from pg_stat_activity
      where application_name = current_setting('application_name')`,
  });
  const server = Number(statOf(sessions.find(({ is_own }) => is_own)?.pid ?? 0)?.[1]);
  if (!(server > 1)) return [];
  const own = withoutOwn ? sessions.map(({ pid }) => pid) : [];
  const alive = readdirSync("/proc").map(Number);
  return [server, ...alive.filter((pid) => pid > 0 && !own.includes(pid) && Number(statOf(pid)?.[1]) === server)];
}

/** The fields after the process name: state, parent, and so on. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
  } catch {
    return undefined;
  }
}
