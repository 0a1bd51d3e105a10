import { postgresCpuSeconds } from "../../service/proofs/cpu-times.ts";
import type { Database } from "../../service/src/db/database.ts";

/** What some work cost, for each piece of it. */
export interface Cost {
  /** Blocks that PostgreSQL touched: found in its buffers, or read. */
  touched: number;
  /** Of these, not found there: read from the kernel, which may have had them. */
  read: number;
  /** Seconds of processor time of the whole server for 1,000 pieces. */
  cpu: number;
}

/** Blocks are those of the one connection that `db` has, whatever others do meanwhile; processor time is everybody's. */
export async function costOf(db: Database, pieces: number, work: () => Promise<void>): Promise<Cost> {
  const before = await readMeter(db);
  await work();
  const after = await readMeter(db);
  if (before.pid !== after.pid) throw new Error("the connection that was measured was replaced");
  return {
    touched: (after.touched - before.touched) / pieces,
    read: (after.read - before.read) / pieces,
    cpu: ((after.cpu - before.cpu) / pieces) * 1000,
  };
}

interface Reading {
  pid: number;
  touched: number;
  read: number;
  cpu: number;
}

export async function readMeter(db: Database): Promise<Reading> {
  // A backend tells its figures once a second at most, unless it is asked to.
  await db.query({ name: "flush-figures", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<Omit<Reading, "cpu">>({
    name: "read-figures",
    text: `
      select pg_backend_pid() as pid, sum(hits + read_bytes / 8192)::float8 as touched, sum(read_bytes / 8192)::float8 as read
      from pg_stat_get_backend_io(pg_backend_pid())
      where object = 'relation'`,
  });
  if (row === undefined) throw new Error("PostgreSQL told no figures");
  return { ...row, cpu: await postgresCpuSeconds(db) };
}
