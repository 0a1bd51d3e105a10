import { expect, test } from "vitest";
import { makeGrowths } from "../../test/grown-tables.ts";
import { makeHotStatements } from "../../test/hot-statements.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { openDatabase } from "../db/database.ts";

const shared = useTestDatabase();

/** PostgreSQL chooses a generic plan at the sixth execution. */
const executionsBefore = 7;
const rows = 5_000;

test("no hot statement reads more when any table has grown since it was planned and has no new statistics", {
  timeout: 120_000,
}, async () => {
  // One connection, because each connection has its own plans.
  const db = openDatabase({
    url: shared.url,
    poolSize: 1,
    applicationName: "postern-test",
    onIdleError: () => undefined,
  });
  try {
    const fixture = await makeHotStatements(db);
    // Before the first plan: changing a table discards the plans that use it.
    const growths = await makeGrowths(db, fixture);
    await touched(async () => undefined);
    for (let execution = 0; execution < executionsBefore; execution++) {
      for (const { run } of fixture.statements) await run();
    }
    const before = await touchedByEach();
    const trapped: string[] = [];
    for (const growth of growths) {
      await growth.grow(rows);
      for (const { name, run } of fixture.statements) {
        const known = before.get(name) ?? { rows: 0, blocks: 0 };
        const isMore = ({ rows: fetched, blocks }: typeof known) =>
          fetched > known.rows + 50 || blocks > known.blocks * 1.5 + 50;
        // Autovacuum counts too, but it does not meet the same statement twice.
        if (!isMore(await touched(run))) continue;
        const again = await touched(run);
        if (isMore(again))
          trapped.push(`${name} fetches ${again.rows} rows of ${again.blocks} blocks after growth of ${growth.name}`);
      }
    }
    expect(trapped).toEqual([]);
    expect(before.size).toBe(fixture.statements.length);

    async function touchedByEach() {
      const counts = new Map<string, { rows: number; blocks: number }>();
      for (const { name, run } of fixture.statements) counts.set(name, await touched(run));
      return counts;
    }

    async function touched(work: () => Promise<unknown>) {
      const start = await totals();
      await work();
      const end = await totals();
      return { rows: end.rows - start.rows, blocks: end.blocks - start.blocks };
    }

    async function totals(): Promise<{ rows: number; blocks: number }> {
      await db.query({ name: "flush-statistics", text: "select pg_stat_force_next_flush()" });
      const [row] = await db.query<{ rows: number; blocks: number }>({
        name: "touched-by-statements",
        text: `
          select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int8 as rows,
            sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::int8 as blocks
          from pg_stat_user_tables
          join pg_statio_user_tables using (relid)`,
      });
      return row ?? { rows: Number.NaN, blocks: Number.NaN };
    }
  } finally {
    await db.close();
  }
});
