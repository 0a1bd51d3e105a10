import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { runEngineProcess } from "../engine-process.ts";
import { type Send, slots } from "../workload.ts";
import { acceptAll, markStatement, openPreparation, openSubmission, type Prepared, shared } from "./duties.ts";

/**
 * pg-boss with its batch calls: `insert`, `fetch` and `complete`, each in one transaction with the duties. Its own `work`
 * waits half a second whenever it fetches fewer jobs than requested, so it would be idle for most of this run.
 */
const connectionString = process.env.DATABASE_URL ?? "";
const pool = new pg.Pool({ connectionString, max: 4 });
const boss = new PgBoss({ connectionString, schedule: false });
boss.on("error", console.error);
await boss.start();
const name = "sends";
const [leastFetched, pauseMs] = [slots / 4, 5];

await runEngineProcess({
  async openProducer() {
    const prepare = await openPreparation();
    const store = shared<Prepared>((sends) => {
      const jobs = sends.map(({ id }) => ({ id }));
      return inTransaction(async (client, options) => {
        await acceptAll(client, sends);
        await boss.insert(name, jobs, options);
      });
    });
    return { accept: (send: Send) => store(prepare(send)) };
  },

  async openWorker(sent) {
    await boss.createQueue(name);
    const complete = shared<{ id: string; messageId: string }>((marks) => {
      const ids = marks.map(({ id }) => id);
      return inTransaction(async (client, options) => {
        await client.query(markStatement(marks));
        await boss.complete(name, ids, null, options);
      });
    });
    const submit = openSubmission();
    let free = slots;
    const work = async ({ id }: { id: string }) => {
      await complete(await submit(id));
      free += 1;
      sent();
    };
    void claimForever(async () => {
      if (free < leastFetched) return 0;
      const jobs = await boss.fetch(name, { batchSize: free });
      free -= jobs.length;
      for (const job of jobs) void work(job);
      return jobs.length;
    });
    return { left: countUndone };
  },
});

async function claimForever(claim: () => Promise<number>): Promise<never> {
  for (;;) {
    if ((await claim()) === 0) await sleep(pauseMs);
  }
}

type Options = { db?: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } };

async function inTransaction(act: (client: pg.PoolClient, options: Options) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await act(client, { db: { executeSql: (text, values) => client.query(text, values) } });
    await client.query("commit");
  } finally {
    client.release();
  }
}

async function countUndone(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer as count from pgboss.job where name = 'sends' and state <> 'completed'",
  );
  return rows[0]?.count ?? Number.NaN;
}
