import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { asAdmin } from "../../../service/test/template-database.ts";

/** Every request or every submission uses these. */
const hotTables = ["sends", "send_queue", "events", "accounts"];
const blockedWithinMs = 120_000;

/**
 * A transaction that stays open after it has read, such as a report or a forgotten psql: no statement that changes one of its tables
 * gets the lock. Starts `work`, and ends the transaction this long after it began to block `work`.
 */
export async function whileTransactionBlocks(url: string, seconds: number, work: () => Promise<void>): Promise<void> {
  let working: Promise<void> | undefined;
  await asAdmin(url, async (client) => {
    await client.query("begin");
    for (const table of hotTables) await client.query(`select from ${table} limit 0`);
    working = work();
    // Its failure is reported below, after the transaction has ended.
    working.catch(() => undefined);
    await untilBlocking(client, url);
    await sleep(seconds * 1000);
    await client.query("commit");
  });
  await working;
}

async function untilBlocking(open: pg.Client, url: string): Promise<void> {
  const { rows } = await open.query<{ pid: number }>("select pg_backend_pid() as pid");
  await asAdmin(url, async (client) => {
    const isBlocking = async () => {
      const blocked =
        "select from pg_stat_activity where wait_event_type = 'Lock' and $1 = any (pg_blocking_pids(pid))";
      return (await client.query(blocked, [rows[0]?.pid])).rowCount !== 0;
    };
    for (const end = performance.now() + blockedWithinMs; !(await isBlocking()); await sleep(100)) {
      if (performance.now() > end) throw new Error("the transaction blocked nothing, so this run would show nothing");
    }
  });
}

/** A change of a table as `psql` makes it: it waits for its lock, and every later statement waits behind it. */
export function alterWithoutTimeout(url: string): Promise<void> {
  return asAdmin(url, (client) => client.query("alter table sends add column planted_control text"));
}
