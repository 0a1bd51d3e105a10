import type { Queryable } from "../src/db/database.ts";

/**
 * The blocks of tables and indexes that `work` touches, with those that PostgreSQL reads to plan it: `explain` would plan for the values of
 * one call. For a database with one connection, which `db` has. The first run fills caches. Of three more the least counts, because
 * PostgreSQL plans again after an analyze of a table, by autovacuum too, and after many changes of schemas by other tests: a session that
 * reads of them too late discards all its plans. Work that is planned each time touches as many blocks in every run.
 */
export async function touchedBlocks(db: Queryable, work: () => Promise<unknown>): Promise<number> {
  await work();
  const runs: number[] = [];
  for (let run = 0; run < 3; run++) runs.push(await touchedByOneRun(db, work));
  return Math.min(...runs);
}

async function touchedByOneRun(db: Queryable, work: () => Promise<unknown>): Promise<number> {
  const before = await touchedSoFar(db);
  await work();
  return (await touchedSoFar(db)) - before;
}

async function touchedSoFar(db: Queryable): Promise<number> {
  await db.query({ name: "flush-statistics", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<{ blocks: number }>({
    name: "read-touched-blocks",
    text: `
      select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::int4 as blocks
      from pg_statio_user_tables`,
  });
  return row?.blocks ?? Number.NaN;
}
