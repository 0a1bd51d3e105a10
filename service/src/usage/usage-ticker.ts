import type { Queryable } from "../db/database.ts";
import type { Log } from "../log.ts";
import { startTicker } from "../loops/ticker.ts";
import type { RefusalCounts } from "./count-refusals.ts";
import { foldUsage } from "./usage-chores.ts";

const pauseMs = 5_000;
const maxFoldMs = 1_000;
/** A worker folds every two seconds, so there are so many only when none does, or when there is more mail than ever measured. */
const longBacklog = 20_000;

interface UsageTickerDeps {
  db: Queryable;
  log: Log;
  refusalCounts: RefusalCounts;
}

/**
 * What an API process does for usage: it stores its refusals. And when many deltas wait, it folds some: accept goes on while no worker
 * runs, and reading usage must not become slow.
 */
export function startUsageTicker({ db, log, refusalCounts }: UsageTickerDeps): { stop(): Promise<void> } {
  const run = async () => {
    await refusalCounts.flush();
    if (await hasLongBacklog(db)) await foldUsage(db, maxFoldMs);
  };
  const ticker = startTicker({ pauseMs, run, onFailure: (err) => log.warn({ err }, "usage.behind") });
  return {
    stop: async () => {
      await ticker.stop();
      await refusalCounts.flush().catch((err: unknown) => log.warn({ err }, "usage.behind"));
    },
  };
}

async function hasLongBacklog(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: "has-long-usage-backlog",
    text: `select 1 as found from usage_deltas offset $1 limit 1`,
    values: [longBacklog],
  });
  return rows.length > 0;
}
