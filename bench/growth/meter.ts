import { postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import type { Database } from "../../service/src/db/database.ts";

/** The cost per unit of work. */
export interface Cost {
  /** Blocks that PostgreSQL found in its buffers or read. */
  touched: number;
  /** Blocks that PostgreSQL read from the kernel, which may have had them cached. */
  read: number;
  /** CPU seconds of the whole server per 1,000 units. */
  cpu: number;
}

/** Blocks are those of the single connection of `db`; CPU time is that of the whole server. */
export async function costOf(db: Database, units: number, work: () => Promise<void>): Promise<Cost> {
  const before = await readMeter(db);
  await work();
  const after = await readMeter(db);
  if (before.pid !== after.pid) throw new Error("the measured connection was replaced");
  return {
    touched: (after.touched - before.touched) / units,
    read: (after.read - before.read) / units,
    cpu: ((after.cpu - before.cpu) / units) * 1000,
  };
}

interface Reading {
  pid: number;
  touched: number;
  read: number;
  cpu: number;
}

export async function readMeter(db: Database): Promise<Reading> {
  // A backend reports its statistics at most once per second unless it is forced to.
  await db.query({ name: "flush-statistics", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<Omit<Reading, "cpu">>({
    name: "read-statistics",
    text: `
      select pg_backend_pid() as pid, sum(hits + read_bytes / 8192)::float8 as touched, sum(read_bytes / 8192)::float8 as read
      from pg_stat_get_backend_io(pg_backend_pid())
      where object = 'relation'`,
  });
  if (row === undefined) throw new Error("PostgreSQL returned no I/O statistics");
  return { ...row, cpu: await postgresCpuSeconds(db) };
}
