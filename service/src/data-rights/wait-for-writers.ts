import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";

/** No statement of Postern runs longer, and no lease of a webhook lasts longer. */
const maxWaitMs = 60_000;
const pollMs = 200;

/**
 * Waits for every transaction that began before this call. A later one sees all that is committed now. A transaction of another program,
 * such as a dump, is awaited for a minute at most: it does not write the record.
 */
export async function waitForTransactions(db: Queryable): Promise<void> {
  await waitUntilNone(db, {
    name: "count-older-transactions",
    text: `
      select count(*) as left
      from pg_stat_activity
      where datname = current_database()
        and pid <> pg_backend_pid()
        and state <> 'idle'
        and xact_start < $1::timestamptz`,
  });
}

/** Waits for the attempts of webhooks that began before this call: the answer of an endpoint may repeat what it received. */
export async function waitForWebhooks(db: Queryable): Promise<void> {
  await waitUntilNone(db, {
    name: "count-running-webhooks",
    text: `
      select count(*) as left
      from webhook_queue
      where state = 'delivering'
        and attempted_at < $1::timestamptz`,
  });
}

async function waitUntilNone(db: Queryable, statement: { name: string; text: string }): Promise<void> {
  const [clock] = await db.query<{ now: string }>({
    name: "now-for-waiting",
    text: "select clock_timestamp()::text as now",
  });
  for (const until = performance.now() + maxWaitMs; performance.now() < until; await sleep(pollMs)) {
    const [row] = await db.query<{ left: number }>({ ...statement, values: [clock?.now] });
    if (row?.left === 0) return;
  }
}
