import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPgbouncer } from "../../test/pgbouncer/start-pgbouncer.ts";

export interface LeakWatch {
  /** The number of looks, the server connections they saw, and the looks that saw a role or account of another client. */
  checks: number;
  backends: Set<number>;
  leaks: number;
  stop(): Promise<void>;
}

/** Looks through the pooler, outside any transaction, for the role and account that a request binds to its transaction. */
export function watchForLeaks(url: string, clients: number, pauseMs: number): LeakWatch {
  const stopping = new AbortController();
  const watch: LeakWatch = { checks: 0, backends: new Set(), leaks: 0, stop };
  const watching = Array.from({ length: clients }, () => lookUntil(stopping.signal));
  return watch;

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all(watching);
  }

  async function lookUntil(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 8_000 });
      client.on("error", () => undefined);
      try {
        await client.connect();
        while (!stopped.aborted) {
          await look(client);
          await sleep(pauseMs);
        }
      } catch {
        // PgBouncer was killed; the next look is through a new connection.
        await sleep(pauseMs);
      }
      await client.end().catch(() => undefined);
    }
  }

  async function look(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ pid: number; isClean: boolean }>(`
      select pg_backend_pid() as pid,
        current_user = session_user and coalesce(current_setting('postern.account_id', true), '') = '' as "isClean"`);
    watch.checks += 1;
    watch.backends.add(rows[0]?.pid ?? 0);
    if (rows[0]?.isClean !== true) watch.leaks += 1;
  }
}

/**
 * The control: a client that changes the role of its session instead of its transaction, behind a PgBouncer of its own with one server
 * connection. Returns the looks that saw it.
 */
export async function plantLeak(databaseUrl: string): Promise<number> {
  const pgbouncer = await startPgbouncer(databaseUrl, { changes: { default_pool_size: "1" } });
  const client = new pg.Client({ connectionString: pgbouncer.url });
  try {
    await client.connect();
    await client.query("set role pg_database_owner");
    const watch = watchForLeaks(pgbouncer.url, 1, 5);
    for (const until = performance.now() + 10_000; watch.leaks === 0 && performance.now() < until; ) await sleep(10);
    await watch.stop();
    return watch.leaks;
  } finally {
    await client.end();
    await pgbouncer.stop();
  }
}
