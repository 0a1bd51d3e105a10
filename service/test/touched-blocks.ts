import type { Queryable } from "../src/db/database.ts";

/**
 * The blocks of tables and indexes that `work` touches, with those that PostgreSQL reads to plan it: `explain` would plan for the values of
 * one call. For a database with one connection, which `db` has. The second of two runs counts, because the first fills caches.
 */
export async function touchedBlocks(db: Queryable, work: () => Promise<unknown>): Promise<number> {
  await work();
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
