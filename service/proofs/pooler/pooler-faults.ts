import { setTimeout as sleep } from "node:timers/promises";
import type { PooledCell } from "./pooled-cell.ts";

export interface Faults {
  crashes: number;
  killedBackends: number;
  reconnects: number;
}

/**
 * Every `everyMs` one of: PgBouncer crashes and is back after half a second; half of its server connections are terminated, in the
 * middle of their statements; it replaces all of its server connections.
 */
export async function causeFaults(cell: PooledCell, everyMs: number, stopped: AbortSignal): Promise<Faults> {
  const faults: Faults = { crashes: 0, killedBackends: 0, reconnects: 0 };
  const kinds = [crash, killBackends, reconnect];
  for (let number = 0; ; number++) {
    await sleep(everyMs, undefined, { signal: stopped }).catch(() => undefined);
    if (stopped.aborted) return faults;
    await kinds[number % kinds.length]?.();
  }

  async function crash(): Promise<void> {
    await cell.pgbouncer.kill();
    await sleep(500);
    await cell.pgbouncer.start();
    faults.crashes += 1;
  }

  async function killBackends(): Promise<void> {
    const servers = await cell.pgbouncer.command("show servers");
    const pids = servers.map(({ remote_pid: pid }) => Number(pid)).filter((_, index) => index % 2 === 0);
    const ended = await cell.db.query<{ ended: boolean }>({
      name: "kill-backends",
      text: `select pg_terminate_backend(pid) as ended from unnest($1::int[]) as backend (pid)`,
      values: [pids],
    });
    faults.killedBackends += ended.length;
  }

  async function reconnect(): Promise<void> {
    await cell.pgbouncer.command("reconnect");
    faults.reconnects += 1;
  }
}
