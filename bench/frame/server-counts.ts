import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** What PostgreSQL counted per unit of work. It does not depend on the speed of the machine, except through the size of batches. */
export interface Counts {
  walBytes: number;
  /** Shared blocks of tables and indexes that client connections found in the buffers or read. */
  blocks: number;
}

export interface CountedServer {
  /** Writes the dirty pages of earlier work, so that PostgreSQL does not do so during the next measurement. */
  checkpoint(): Promise<void>;
  /**
   * Counts what `work` causes, which returns the number of its units. Nothing else may use the server. Pages are not written in full
   * meanwhile: how many would be depends on the time of the last checkpoint.
   */
  count(work: () => Promise<number>): Promise<Counts>;
  close(): Promise<void>;
}

/** A connection that has nothing to do reports its counters after ten seconds; before that, at most once per second. */
const untilReportedMs = 11_000;

/** Needs the URL of a superuser. */
export async function openCountedServer(url: string): Promise<CountedServer> {
  const client = new pg.Client({ connectionString: url, application_name: "bench-counts" });
  await client.connect();
  const set = async (value: string) => {
    for (const setting of ["full_page_writes", "autovacuum"])
      await client.query(`alter system set ${setting} = ${value}`);
    await client.query("select pg_reload_conf()");
  };
  const read = async () => {
    const { rows } = await client.query<Counts>(`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
        (
          select sum(hits + read_bytes / current_setting('block_size')::integer)::float8
          from pg_stat_io
          where backend_type = 'client backend' and object = 'relation'
        ) as blocks`);
    return rows[0] ?? { walBytes: Number.NaN, blocks: Number.NaN };
  };
  return {
    async checkpoint() {
      await client.query("checkpoint");
    },
    async count(work) {
      await set("off");
      try {
        await client.query("checkpoint");
        await sleep(untilReportedMs);
        const before = await read();
        const units = await work();
        await sleep(untilReportedMs);
        const after = await read();
        return { walBytes: (after.walBytes - before.walBytes) / units, blocks: (after.blocks - before.blocks) / units };
      } finally {
        await set("default");
      }
    },
    close: () => client.end(),
  };
}

/** As findings of a bench. */
export function countFindings(title: string, counts: Record<string, Counts>): Record<string, number> {
  const named = Object.entries(counts).flatMap(([name, { walBytes, blocks }]) => [
    [`${title}, ${name}: bytes of WAL`, Math.round(walBytes)] as const,
    [`${title}, ${name}: blocks touched`, Number(blocks.toFixed(1))] as const,
  ]);
  return Object.fromEntries(named);
}
