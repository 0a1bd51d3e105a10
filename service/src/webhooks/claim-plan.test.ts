import { expect, test } from "vitest";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import {
  aWebhookEndpoint,
  claimUpTo,
  pendingDeliveries,
  resultOf,
  type WebhookEndpoint,
} from "../../test/webhook-fixture.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { pauseDeliveries, resumeDeliveries } from "./follow-endpoints.ts";
import { settleDeliveries } from "./settle-deliveries.ts";

const database = useTestDatabase();

/** PostgreSQL chooses a generic plan at the sixth execution. */
const executionsBefore = 7;

test("a claim beside 100,000 pending deliveries of one endpoint reads as much as beside 1,000, with plans from before they came", {
  timeout: 60_000,
}, async () => {
  // One connection, because each connection has its own plans.
  const options = { poolSize: 1, applicationName: "postern-test", onIdleError: () => undefined };
  const db = openDatabase({ url: database.url, statementTimeoutMs: 60_000, ...options });
  try {
    // Its reads would count too.
    for (const table of ["webhook_deliveries", "webhook_attempts"] as const) await stopAutovacuum(db, table);
    await change(db, "alter table webhook_queue set (autovacuum_enabled = false)");
    const [crowded, calm] = [await aWebhookEndpoint(db), await aWebhookEndpoint(db)];
    const claimAndSettle = async () => {
      await pendingDeliveries(db, calm);
      const claimed = await claimUpTo(db, 200);
      expect(claimed.filter(({ endpointId }) => endpointId === calm.id)).toHaveLength(1);
      const settled = claimed.map((delivery) => resultOf(delivery));
      await settleDeliveries(db, settled);
      await pauseDeliveries(db, 1_000);
      await resumeDeliveries(db, 1_000);
    };
    await queueMany(db, crowded, executionsBefore);
    for (let execution = 0; execution < executionsBefore; execution++) await claimAndSettle();
    await queueMany(db, crowded, 1_000);
    const beside1k = await blocksOf(db, claimAndSettle);
    await queueMany(db, crowded, 99_000);
    const beside100k = await blocksOf(db, claimAndSettle);
    // The indexes are one level deeper.
    expect(beside100k).toBeLessThan(beside1k + 100);
  } finally {
    await db.close();
  }
});

/** Due deliveries whose records the test does not need. */
async function queueMany(db: Database, { id, accountId }: WebhookEndpoint, count: number): Promise<void> {
  await db.query({
    name: "queue-many",
    text: `
      insert into webhook_queue (delivery_id, account_id, endpoint_id, notification_id)
      select new_id_at(now()), $1, $2, new_id_at(now())
      from generate_series(1, $3::integer)`,
    values: [accountId, id, count],
  });
}

/** The fewest blocks of tables and indexes that the statements of `work` touch in three runs: an autovacuum of another table counts too. */
async function blocksOf(db: Database, work: () => Promise<unknown>): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 3; run++) {
    await blocks(db);
    const start = await blocks(db);
    await work();
    runs.push((await blocks(db)) - start);
  }
  return Math.min(...runs);
}

async function blocks(db: Database): Promise<number> {
  await db.query({ name: "flush-statistics", text: "select pg_stat_force_next_flush()" });
  const [row] = await db.query<{ blocks: number }>({
    name: "blocks-of-webhooks",
    text: `
      select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::int8 as blocks
      from pg_statio_user_tables`,
  });
  return row?.blocks ?? Number.NaN;
}
