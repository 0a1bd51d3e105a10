import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/db/database.ts";

const pauseMs = 50;

/**
 * Ends connections that run the accept statement, at most `most`, until `stop`; it returns how many. Without the limit, a slow machine would
 * never finish a statement.
 */
export function startKilling(db: Database, most: number): { stop(): Promise<number> } {
  let isStopped = false;
  let killed = 0;
  const running = (async () => {
    while (!isStopped && killed < most) {
      const rows = await db.query<{ isKilled: boolean }>({
        name: "kill-accepting-connection",
        text: `
          select pg_terminate_backend(pid) as "isKilled"
          from pg_stat_activity
          where datname = current_database()
            and pid <> pg_backend_pid()
            and state = 'active'
            and query like '%with request as%'
          limit 1`,
      });
      killed += rows.length;
      await sleep(rows.length === 0 ? 1 : pauseMs);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await running;
      return killed;
    },
  };
}
